// Stands for the device code in builds without nvcc: the fake driver does not look at it.
extern "C" {
extern const unsigned char vmaf_vif_fatbin[], vmaf_adm_fatbin[], vmaf_motion_fatbin[];
const unsigned char vmaf_vif_fatbin[1] = {}, vmaf_adm_fatbin[1] = {}, vmaf_motion_fatbin[1] = {};
}
