#include <cstring>

#include "capi/context.hpp"

namespace vmaf::capi {

namespace {

char tag; // VmafPicture::priv points here in pictures that we filled

} // namespace

void export_picture(Picture picture, VmafPicture *out) {
    const PictureFormat &format = picture.format();
    *out = VmafPicture{};
    out->pix_fmt = static_cast<VmafPixelFormat>(format.pixel_format);
    out->bpc = format.bits;
    for (unsigned p = 0; p < 3; p++) {
        out->w[p] = format.plane_width(p);
        out->h[p] = format.plane_height(p);
        out->stride[p] = picture.stride_bytes(p);
        out->data[p] = picture.data(p);
    }
    out->priv = &tag;
    out->ref = reinterpret_cast<VmafRef *>(picture.release());
}

bool is_ours(const VmafPicture &picture) {
    if (!picture.ref || picture.priv != &tag) return false;
    const auto *buffer = reinterpret_cast<const PictureBuffer *>(picture.ref);
    for (unsigned p = 0; p < 3; p++)
        if (picture.data[p] != buffer->data[p] || picture.stride[p] != buffer->stride[p]) return false;
    return true;
}

Picture share_picture(const VmafPicture &picture) {
    auto *buffer = reinterpret_cast<PictureBuffer *>(picture.ref);
    buffer->add_reference();
    return Picture(buffer);
}

} // namespace vmaf::capi

using namespace vmaf;

int vmaf_picture_alloc(VmafPicture *pic, enum VmafPixelFormat pix_fmt, unsigned bpc, unsigned w, unsigned h) {
    if (!pic) return capi::missing_argument();
    return capi::guarded([&] {
        capi::export_picture(Picture::allocate({capi::pixel_format_of(pix_fmt), bpc, w, h}), pic);
    });
}

int vmaf_picture_unref(VmafPicture *pic) {
    if (!pic || !pic->ref) return capi::missing_argument();
    auto *buffer = reinterpret_cast<PictureBuffer *>(pic->ref);
    std::memset(pic, 0, sizeof(*pic));
    buffer->drop_reference();
    return 0;
}
