// The logarithm table of vif.md 2.7 as polynomials, exact for all its 32768 entries (vif_log_test.cpp tries each).
// With z as a float, truncated, its exponent and the top bits of its fraction give a piece number; the next bits of the
// fraction are the argument w of the piece's polynomial, and
//   T-style logarithm = step * piece number + floor(polynomial) - 2048 * 127.
// The coefficients were found by fitting each piece inside its staircase and then searching over their last bits.
#pragma once

namespace vmaf::vif {

// 32 pieces of 64 steps: a + w (b + w c), 1 <= w < 1 + 2^-5. The inner step is rounded to nearest, the outer one,
// fused, toward zero.
inline constexpr int kQuadraticPieces = 32;
alignas(64) inline constexpr float kLogQuadratic[3][kQuadraticPieces] = {
    {-0x1.121366p+12f, -0x1.0594a6p+12f, -0x1.f3ed96p+11f, -0x1.de9402p+11f, -0x1.cc04acp+11f, -0x1.b882aep+11f,
     -0x1.a6ac6p+11f,  -0x1.97403p+11f,  -0x1.885edcp+11f, -0x1.73daf8p+11f, -0x1.6fe71ep+11f, -0x1.612da6p+11f,
     -0x1.56662ep+11f, -0x1.4bb7c8p+11f, -0x1.433f1cp+11f, -0x1.393f04p+11f, -0x1.30c15cp+11f, -0x1.28b7cep+11f,
     -0x1.21a3f2p+11f, -0x1.1ac7dcp+11f, -0x1.14698ap+11f, -0x1.0ed832p+11f, -0x1.087a34p+11f, -0x1.047606p+11f,
     -0x1.feeecp+10f,  -0x1.f735f6p+10f, -0x1.f1152p+10f,  -0x1.e5fa6cp+10f, -0x1.e0acecp+10f, -0x1.ddd052p+10f,
     -0x1.d4e148p+10f, -0x1.d057eap+10f},
    {0x1.6b963cp+12f, 0x1.5b8c2ep+12f, 0x1.4c9b7ap+12f, 0x1.3eececp+12f, 0x1.337154p+12f, 0x1.267eb4p+12f,
     0x1.1abdacp+12f, 0x1.10e0d8p+12f, 0x1.0720c6p+12f, 0x1.eecf86p+11f, 0x1.ef5a76p+11f, 0x1.d9ece2p+11f,
     0x1.cb9308p+11f, 0x1.bcce02p+11f, 0x1.b1c15ep+11f, 0x1.a3201ep+11f, 0x1.96efcap+11f, 0x1.8b1e72p+11f,
     0x1.80b4b6p+11f, 0x1.763facp+11f, 0x1.6c50aap+11f, 0x1.638564p+11f, 0x1.58c1ecp+11f, 0x1.523d6p+11f,
     0x1.4964p+11f,   0x1.42709cp+11f, 0x1.3ca892p+11f, 0x1.31bac6p+11f, 0x1.2c2974p+11f, 0x1.28b312p+11f,
     0x1.1ef056p+11f, 0x1.194298p+11f},
    {-0x1.65eb1cp+10f, -0x1.510334p+10f, -0x1.3daaaep+10f, -0x1.2c3a32p+10f, -0x1.1e9b82p+10f, -0x1.0d97f4p+10f,
     -0x1.fd1a4ap+9f,  -0x1.e58544p+9f,  -0x1.cda33cp+9f,  -0x1.9d6fdep+9f,  -0x1.abd206p+9f,  -0x1.8e3ddcp+9f,
     -0x1.7dfep+9f,    -0x1.6c701cp+9f,  -0x1.61a85p+9f,   -0x1.4f5e2p+9f,   -0x1.417922p+9f,  -0x1.33e3dcp+9f,
     -0x1.28b3d6p+9f,  -0x1.1d0ed4p+9f,  -0x1.121c38p+9f,  -0x1.0910b6p+9f,  -0x1.f7bacap+8f,  -0x1.ed80aap+8f,
     -0x1.d96e2p+8f,   -0x1.cc6a74p+8f,  -0x1.c34c4cp+8f,  -0x1.a5c518p+8f,  -0x1.9cc7cap+8f,  -0x1.9bb10cp+8f,
     -0x1.814bap+8f,   -0x1.76bc48p+8f},
};

// 8 pieces of 256 steps: c0 + t (c1 + t (c2 + t (c3 + t c4))), t = w - 1 - 2^-4, every step fused and rounded to
// nearest.
inline constexpr int kQuarticPieces = 8;
alignas(64) inline constexpr float kLogQuartic[5][kQuarticPieces] = {
    {0x1.673ff6p+7f, 0x1.f8837p+7f, 0x1.23f782p+8f, 0x1.30c176p+8f, 0x1.271e64p+8f, 0x1.0a82bep+8f, 0x1.bb4accp+7f,
     0x1.4563ep+7f},
    {0x1.5b9ac8p+11f, 0x1.37039ap+11f, 0x1.1964f8p+11f, 0x1.00ecd6p+11f, 0x1.d8be16p+10f, 0x1.b5b90ep+10f,
     0x1.97896ap+10f, 0x1.7d3e7ep+10f},
    {-0x1.472764p+10f, -0x1.05f498p+10f, -0x1.accadap+9f, -0x1.657536p+9f, -0x1.2e8aecp+9f, -0x1.0368e6p+9f,
     -0x1.c1ac4cp+8f, -0x1.8978bcp+8f},
    {0x1.9b634ep+9f, 0x1.267ddap+9f, 0x1.b45cfp+8f, 0x1.4bfcc4p+8f, 0x1.02d748p+8f, 0x1.99898p+7f, 0x1.4bcbe2p+7f,
     0x1.0e6012p+7f},
    {-0x1.1ec88cp+9f, -0x1.82bc3cp+8f, -0x1.f2dc72p+7f, -0x1.585af4p+7f, -0x1.db5d52p+6f, -0x1.803592p+6f,
     -0x1.f99014p+5f, -0x1.48f4f2p+5f},
};

} // namespace vmaf::vif
