// How a row ended (tune.md 15.2). 1 to 255 are the encoder's own exit codes.
#pragma once

namespace vmaf::tune {

enum RowStatus : int {
    kStatusOk = 0,
    kStatusBadOutput = 300, // the encoder ran, but what it made is not right
    kStatusReferenceUndecodable = 400,
    kStatusEncodeUndecodable = 401,
    kStatusScorerFailed = 500,
    kStatusBackendLost = 501,
    kStatusScoreOutOfRange = 502,
    kStatusBackendNotKept = 503, // another backend than the one that was asked for computed a feature
    kStatusScoreUnreadable = 565,
    kStatusTimedOut = 600,
};

} // namespace vmaf::tune
