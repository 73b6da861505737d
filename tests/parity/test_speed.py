"""SpEED on the GPU equals the CPU in every bit: tests the host device everywhere, and CUDA with a GPU."""
import json
import subprocess
import unittest

from test_parity import VMAF, Gate


class SpeedParity(Gate):
    def compare(self, feature, *clips):
        usable = json.loads(subprocess.check_output([VMAF, "--capabilities"]))["backends"]
        backends = ["scalar", "cpu", "host"] + [b for b in usable if b == "cuda"]
        for pair in clips:
            run = self.gate(pair, "--features", feature, "--backends", ",".join(backends))
            self.assertEqual(run.stdout.count("ceiling 0.0e+00"), len(backends) * (len(backends) - 1) // 2, run.stdout)

    def test_cuda_speed_chroma_parity(self):
        self.compare("speed_chroma", self.clips("352x288"), self.clips("401x321", form="420", depth=10, distort="blur:3"),
                     self.clips("256x192", form="444", depth=16, scene="cut"), self.clips("353x289", form="422", depth=12),
                     self.clips("352x288", scene="gradient", distort="band:5"), self.clips("352x288", distort="none"),
                     self.clips("352x288", scene="flat"))

    def test_cuda_speed_temporal_parity(self):
        self.compare("speed_temporal", self.clips("352x288"), self.clips("361x299", depth=10, distort="blur:3"),
                     self.clips("256x192", form="444", depth=16, scene="cut"), self.clips("175x131"),
                     self.clips("352x288", scene="noise", depth=12, distort="noise:10"), self.clips("352x288", distort="none"),
                     self.clips("352x288", scene="flat"))


if __name__ == "__main__":
    unittest.main()
