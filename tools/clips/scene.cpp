#include "scene.hpp"

#include <cstdlib>

#include "base/error.hpp"

namespace clipgen {

using vmaf::invalid;

namespace {

constexpr int kMax = 255 * 256;
int clamp(int64_t v) { return v < 0 ? 0 : v > kMax ? kMax : int(v); }

uint32_t hash(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    uint32_t h = a * 0x9E3779B1u ^ (b + 0x7F4A7C15u) * 0x85EBCA77u ^ (c + 0x165667B1u) * 0xC2B2AE3Du ^
                 (d + 0x27D4EB2Fu) * 0x2545F491u;
    h ^= h >> 15;
    h *= 0x2C1B3C6Du;
    h ^= h >> 12;
    h *= 0x297A2D39u;
    h ^= h >> 15;
    return h;
}

int floordiv(int a, int b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

// Value noise on a grid of `cell` samples, bilinear; returns 0..65535.
int value_noise(int x, int y, int cell, uint32_t seed) {
    int gx = floordiv(x, cell), gy = floordiv(y, cell), fx = x - gx * cell, fy = y - gy * cell;
    auto corner = [&](int i, int j) {
        return int64_t(hash(uint32_t(gx + i), uint32_t(gy + j), seed, uint32_t(cell)) & 0xFFFF);
    };
    int64_t top = corner(0, 0) * (cell - fx) + corner(1, 0) * fx;
    int64_t bottom = corner(0, 1) * (cell - fx) + corner(1, 1) * fx;
    return int((top * (cell - fy) + bottom * fy) / (int64_t(cell) * cell));
}

int texture(int x, int y, uint32_t seed) {
    return (value_noise(x, y, 64, seed) * 4 + value_noise(x, y, 16, seed + 1) * 2 + value_noise(x, y, 5, seed + 2) +
            value_noise(x, y, 2, seed + 3)) /
           8;
}

// One reference plane. Chroma uses the same scene at its own scale (sx, sy: subsampling) with less contrast.
Plane scene_plane(const Options &o, int index, int plane, int w, int h, int sx, int sy) {
    Plane p(w, h);
    uint32_t seed = o.seed * 977u + uint32_t(plane) * 131u;
    int t = index;
    if (o.scene == "cut") seed += uint32_t(index / 5) * 7919u;
    bool street = o.scene == "street" || o.scene == "cut";
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int X = x * sx, Y = y * sy;
            int64_t v = 128 * 256;
            if (street) {
                int back = texture(X + 3 * t, Y + t, seed); // panning background
                v = 40 * 256 + int64_t(back) * (plane ? 90 : 150) / 256;
                v += (int64_t(Y) * 40 * 256) / (o.height ? o.height : 1) - 20 * 256; // vertical light falloff
                int cx = (o.width / 4 + 7 * t) % (o.width + 80) - 40, cy = o.height / 2 - 2 * t;
                int dx = X - cx, dy = Y - cy, r = o.height / 6 + 4;
                if (dx * dx + dy * dy < r * r) v = 200 * 256 - int64_t(dx + dy) * 64 * (plane ? -1 : 1); // moving ball
                int bx = o.width - (5 * t) % (o.width + 60), by = o.height / 5;
                if (X > bx && X < bx + o.width / 9 && Y > by && Y < by + o.height / 4) // moving sign with fine stripes
                    v = ((X - bx) / 2 + (Y - by) / 3) % 2 ? 225 * 256 : 30 * 256;
                v += int64_t(hash(uint32_t(x), uint32_t(y), uint32_t(t), seed) & 0x3FF) - 512; // grain, about 4 steps
            } else if (o.scene == "gradient") {
                v = 12 * 256 + int64_t(X) * 60 * 256 / (o.width ? o.width : 1) +
                    int64_t(Y) * 24 * 256 / (o.height ? o.height : 1) + 32 * t;
                if (plane) v = 120 * 256 + int64_t(X + Y) * 20 * 256 / (o.width + o.height);
            } else if (o.scene == "noise") {
                v = int64_t(hash(uint32_t(x), uint32_t(y), uint32_t(t), seed) & 0xFFFF) * kMax / 0xFFFF;
            } else if (o.scene == "checker") {
                v = ((X / 8 + Y / 8 + t) % 2) ? kMax : 0;
                if (plane) v = 128 * 256;
            } else if (o.scene != "flat") {
                throw invalid("unknown scene: " + o.scene);
            }
            p.at(x, y) = clamp(v);
        }
    return p;
}

// Integer 8x8 DCT-like transform: the 64 products of this orthogonal-ish basis, scaled by 64 per pass.
const int kBasis[8][8] = {{23, 23, 23, 23, 23, 23, 23, 23},     {31, 27, 18, 6, -6, -18, -27, -31},
                          {30, 12, -12, -30, -30, -12, 12, 30}, {27, -6, -31, -18, 18, 31, 6, -27},
                          {23, -23, -23, 23, 23, -23, -23, 23}, {18, -31, 6, 27, -27, -6, 31, -18},
                          {12, -30, 30, -12, -12, 30, -30, 12}, {6, -18, 27, -31, 31, -27, 18, -6}};

void distort_dct(Plane &p, int q) {
    for (int by = 0; by < p.height; by += 8)
        for (int bx = 0; bx < p.width; bx += 8) {
            int64_t block[8][8], tmp[8][8], coef[8][8];
            for (int j = 0; j < 8; j++)
                for (int i = 0; i < 8; i++) block[j][i] = p.clamped(bx + i, by + j) - 128 * 256;
            for (int j = 0; j < 8; j++)
                for (int u = 0; u < 8; u++) {
                    tmp[j][u] = 0;
                    for (int i = 0; i < 8; i++) tmp[j][u] += block[j][i] * kBasis[u][i];
                }
            for (int v = 0; v < 8; v++)
                for (int u = 0; u < 8; u++) {
                    coef[v][u] = 0;
                    for (int j = 0; j < 8; j++) coef[v][u] += tmp[j][u] * kBasis[v][j];
                }
            for (int v = 0; v < 8; v++)
                for (int u = 0; u < 8; u++) {
                    int64_t step = int64_t(q) * (4 + u + v) * 256 * 4225 / 16 + 1,
                            c = coef[v][u]; // 4225 = 65^2, the basis gain squared
                    int64_t level = (c >= 0 ? c + step / 2 : c - step / 2) / step;
                    coef[v][u] = level * step;
                }
            for (int v = 0; v < 8; v++)
                for (int i = 0; i < 8; i++) {
                    tmp[v][i] = 0;
                    for (int u = 0; u < 8; u++) tmp[v][i] += coef[v][u] * kBasis[u][i];
                }
            for (int j = 0; j < 8 && by + j < p.height; j++)
                for (int i = 0; i < 8 && bx + i < p.width; i++) {
                    int64_t s = 0;
                    for (int v = 0; v < 8; v++) s += tmp[v][i] * kBasis[v][j];
                    p.at(bx + i, by + j) = clamp(s / (4225LL * 4225LL) + 128 * 256);
                }
        }
}

void apply_distortion(const Options &o, int index, int plane, Plane &p) {
    std::string name = o.distort;
    int arg = 0;
    if (auto colon = name.find(':'); colon != std::string::npos) {
        arg = std::atoi(name.c_str() + colon + 1);
        name.resize(colon);
    }
    Plane src = p;
    if (name == "none" || name == "freeze") return;
    if (name == "dct")
        distort_dct(p, arg);
    else if (name == "blur") {
        for (int y = 0; y < p.height; y++)
            for (int x = 0; x < p.width; x++) {
                int64_t s = 0;
                int n = 0;
                for (int j = -arg; j <= arg; j++)
                    for (int i = -arg; i <= arg; i++, n++) s += src.clamped(x + i, y + j);
                if (n > 0) p.at(x, y) = int(s / n);
            }
    } else if (name == "noise") {
        for (int y = 0; y < p.height; y++)
            for (int x = 0; x < p.width; x++)
                p.at(x, y) = clamp(src.at(x, y) + (int64_t(hash(uint32_t(x), uint32_t(y), uint32_t(index) + 5003u,
                                                                o.seed * 31u + uint32_t(plane)) &
                                                           0xFFFF) -
                                                   32768) *
                                                      arg * 256 / 32768);
    } else if (name == "band") {
        int keep = ~((1 << (16 - arg)) - 1);
        for (auto &s : p.samples) s &= keep;
    } else if (name == "gain") {
        for (auto &s : p.samples) s = clamp(128 * 256 + (int64_t(s) - 128 * 256) * arg / 100);
    } else if (name == "half") {
        for (int y = 0; y < p.height; y++)
            for (int x = 0; x < p.width; x++) {
                int x0 = x & ~1, y0 = y & ~1;
                p.at(x, y) = (src.clamped(x0, y0) + src.clamped(x0 + 1, y0) + src.clamped(x0, y0 + 1) +
                              src.clamped(x0 + 1, y0 + 1)) /
                             4;
            }
    } else if (name == "shift") {
        for (int y = 0; y < p.height; y++)
            for (int x = 0; x < p.width; x++) p.at(x, y) = src.clamped(x - arg, y);
    } else
        throw invalid("unknown distortion: " + o.distort);
}

} // namespace

Plane frame_plane(const Options &o, int index, int plane) {
    bool mono = o.format == "400";
    int sx = !plane || o.format == "444" || mono ? 1 : 2, sy = plane && o.format == "420" ? 2 : 1;
    int freeze = o.distort.rfind("freeze:", 0) == 0 ? std::atoi(o.distort.c_str() + 7) : 0;
    int source = freeze > 1 ? index - index % freeze : index;
    Plane p = scene_plane(o, source, plane, (o.width + sx - 1) / sx, (o.height + sy - 1) / sy, sx, sy);
    apply_distortion(o, index, plane, p);
    return p;
}

int to_depth(int sample, int depth) {
    int shift = 16 - depth, v = (sample + (shift ? 1 << (shift - 1) : 0)) >> shift, top = (1 << depth) - 1;
    return v > top ? top : v;
}

} // namespace clipgen
