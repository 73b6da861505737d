#include "metrics/ssimulacra2/ssimulacra2_norms.hpp"

#include <cmath>

namespace vmaf::ssimulacra2 {

namespace {

struct Weights {
    double structure, artifact, lost_detail;
};

// Per channel, scale and norm (mean, then 4-norm).
constexpr Weights kWeights[kChannels][kScales][2] = {
    {
        // X
        {{0.0, 0.0007376606707406586, 0.0}, {0.0, 0.0007793481682867309, 0.0}},
        {{0.0, 0.0004371155730107379, 0.0}, {1.1041726426657346, 0.00066284834129271, 0.00015231632783718752}},
        {{0.0, 0.0016406437456599754, 0.0}, {1.8422455520539298, 11.441172603757666, 0.0}},
        {{0.0007989109436015163, 0.000176816438078653, 0.0}, {1.8787594979546387, 10.94906990605142, 0.0}},
        {{0.0007289346991508072, 0.9677937080626833, 0.0},
         {0.00014003424285435884, 0.9981766977854967, 0.00031949755934435053}},
        {{0.0004550992113792063, 0.0, 0.0}, {0.0013648766163243398, 0.0, 0.0}},
    },
    {
        // Y
        {{0.0, 0.0, 0.0}, {7.466890328078848, 0.0, 17.445833984131262}},
        {{0.0006235601634041466, 0.0, 0.0}, {6.683678146179332, 0.00037724407979611296, 1.027889937768264}},
        {{225.20515300849274, 0.0, 0.0}, {19.213238186143016, 0.0011401524586618361, 0.001237755635509985}},
        {{176.39317598450694, 0.0, 0.0}, {24.43300999870476, 0.28520802612117757, 0.0004485436923833408}},
        {{0.0, 0.0, 0.0}, {34.77906344483772, 44.835625328877896, 0.0}},
        {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}},
    },
    {
        // B
        {{0.0, 0.0008680556573291698, 0.0}, {0.0, 0.0, 0.0}},
        {{0.0, 0.0005313191874358747, 0.0}, {0.00016533814161379112, 0.0, 0.0}},
        {{0.0, 0.0, 0.0}, {0.0004179171803251336, 0.0017290828234722833, 0.0}},
        {{0.0020827005846636437, 0.0, 0.0}, {8.826982764996862, 23.19243343998926, 0.0}},
        {{95.1080498811086, 0.9863978034400682, 0.9834382792465353},
         {0.0012286405048278493, 171.2667255897307, 0.9807858872435379}},
        {{0.0, 0.0, 0.0}, {0.0005130064588990679, 0.0, 0.00010854057858411537}},
    },
};

// The mean or the 4-norm of a map.
double norm(const NormSums &sums, double pixels, int which) {
    const double c = 1.0 / pixels;
    return which == 0 ? c * sums.sum : std::sqrt(std::sqrt(c * sums.sum_of_fourth));
}

} // namespace

unsigned needed_sums(int channel, int scale) {
    unsigned out = 0;
    for (unsigned norm = 0; norm < 2; norm++) {
        const Weights &w = kWeights[channel][scale][norm];
        out |= (w.structure != 0 ? 1u : 0) << norm | (w.artifact != 0 ? 4u : 0) << norm |
               (w.lost_detail != 0 ? 16u : 0) << norm;
    }
    return out;
}

Needs needs(int channel, int scale) {
    const unsigned sums = needed_sums(channel, scale);
    return {(sums & 3) != 0, (sums & 12) != 0, (sums & 48) != 0};
}

double final_score(const AllSums &sums) {
    double z = 0.0;
    for (int channel = 0; channel < kChannels; channel++)
        for (int scale = 0; scale < kScales; scale++)
            for (int which = 0; which < 2; which++) {
                const MapSums &maps = sums[std::size_t(channel)][std::size_t(scale)];
                const Weights &w = kWeights[channel][scale][which];
                z += w.structure * std::fabs(norm(maps.structure, maps.pixels, which));
                z += w.artifact * std::fabs(norm(maps.artifact, maps.pixels, which));
                z += w.lost_detail * std::fabs(norm(maps.lost_detail, maps.pixels, which));
            }
    z *= 0.9562382616834844;
    z = (2.326765642916932 * z - (0.020884521182843837 * z) * z) + ((6.248496625763138e-05 * z) * z) * z;
    return z > 0.0 ? 100.0 - 10.0 * std::pow(z, 0.6276336467831387) : 100.0;
}

} // namespace vmaf::ssimulacra2
