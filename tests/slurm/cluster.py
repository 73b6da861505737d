"""A local Slurm cluster in a temporary folder: munged, slurmctld and two slurmd, without systemd and without
accounting. Needs Debian's slurm-wlm and munge, and root.

  with Cluster(folder) as cluster: subprocess.run(["srun", "hostname"], env=cluster.environment)
"""
import ctypes
import os
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "sinfo")


def missing():
    """Missing programs; the test reports them and fails."""
    path = os.environ["PATH"] + ":/usr/sbin"
    return [name for name in PROGRAMS if not shutil.which(name, path=path)]


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets: s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets: s.close()
    return ports


def end_with_parent():
    """Ends the daemons with a killed test."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


class Cluster:
    NODES = ("n1", "n2")

    def __init__(self, folder, cpus=2, node_timeout=10):
        self.folder, self.cpus, self.node_timeout, self.processes = folder, cpus, node_timeout, {}
        self.environment = {**os.environ, "SLURM_CONF": folder + "/slurm.conf", "PATH": os.environ["PATH"] + ":/usr/sbin"}

    def __enter__(self):
        try: return self.begin()
        except BaseException: # what has been started does not stay
            self.__exit__()
            raise

    def begin(self):
        os.chmod(self.folder, 0o755)
        for name in ("state", "spool-n1", "spool-n2", "log", "munge"): os.mkdir(f"{self.folder}/{name}", 0o755)
        munge = self.folder + "/munge"
        with open(os.open(munge + "/key", os.O_CREAT | os.O_WRONLY, 0o600), "wb") as key: key.write(os.urandom(128))
        controller, *ports = free_ports(3)
        host = socket.gethostname().split(".")[0]
        with open(self.folder + "/slurm.conf", "w") as conf:
            conf.write(f"""ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
AuthType=auth/munge
AuthInfo=socket={munge}/socket
CredType=cred/munge
SlurmUser=root
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool-%n
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmdPidFile={self.folder}/slurmd-%n.pid
SlurmctldLogFile={self.folder}/log/slurmctld.log
SlurmdLogFile={self.folder}/log/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=1
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
GresTypes=gpu
SlurmctldTimeout=10
SlurmdTimeout={self.node_timeout}
InactiveLimit=0
KillWait=5
MinJobAge=60
MaxArraySize=10001
JobRequeue=1
PreemptMode=REQUEUE
PreemptType=preempt/partition_prio
""")
            for name, port in zip(self.NODES, ports):
                conf.write(f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={self.cpus} Features={name} Gres=gpu:1\n")
            conf.write("PartitionName=low Nodes=ALL Default=YES MaxTime=INFINITE State=UP PriorityTier=1\n"
                       "PartitionName=high Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=10\n")
        with open(self.folder + "/gres.conf", "w") as conf: conf.write("Name=gpu File=/dev/null\n")  # no real GPU, as a test needs
        self.start("munged", ["munged", "--foreground", "--force", "--key-file", munge + "/key", "--socket", munge + "/socket", "--pid-file",
                              munge + "/pid", "--log-file", munge + "/log", "--seed-file", munge + "/seed"])
        self.wait_for(lambda: os.path.exists(munge + "/socket"), "munged")
        self.start_controller()
        for name in self.NODES: self.start_node(name)
        self.make_ready()
        return self

    def make_ready(self):
        """Both nodes are idle and in service, whatever happened before."""
        def is_ready():
            states = self.ask("sinfo", "-h", "-p", "low", "-N", "-o", "%t").split()
            if any(state.startswith(("drain", "drng", "down")) for state in states):
                self.ask("scontrol", "update", "nodename=" + ",".join(self.NODES), "state=resume")
            return states == ["idle"] * len(self.NODES)
        self.wait_for(is_ready, "idle nodes", 120)

    def __exit__(self, *_):
        for process in reversed(list(self.processes.values())):
            if process.poll() is None: process.terminate()
        for process in self.processes.values():
            try: process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def start(self, name, command):
        with open(f"{self.folder}/log/{name}.out", "ab") as log:
            self.processes[name] = subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                                                    preexec_fn=end_with_parent)

    def start_controller(self): self.start("slurmctld", ["slurmctld", "-D"])

    def start_node(self, name): self.start(name, ["slurmd", "-D", "-N", name])

    def kill(self, name):
        """Kills it like a power failure."""
        self.processes[name].kill()
        self.processes[name].wait()

    def ask(self, *command):
        return subprocess.run(command, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout

    def wait_for(self, condition, what, seconds=60):
        until = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > until: raise TimeoutError(f"{what}: nothing after {seconds} s\n" + self.logs())
            time.sleep(0.1)

    def logs(self):
        text = ""
        for name in sorted(os.listdir(self.folder + "/log")):
            with open(f"{self.folder}/log/{name}", errors="replace") as file: text += f"--- {name}\n" + "".join(file.readlines()[-15:])
        return text
