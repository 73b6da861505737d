#include "reporting/verdict.hpp"

#include <algorithm>
#include <cmath>

#include "base/lists.hpp"
#include "curves/bd_rate.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

namespace {

std::vector<std::string> curve_names(const std::vector<const Panel *> &panels) {
    std::vector<std::string> names;
    for (const Panel *panel : panels)
        for (const Curve &curve : panel->curves)
            if (!contains(names, curve.name())) names.push_back(curve.name());
    return names;
}

const Curve *curve_named(const Panel &panel, const std::string &name) {
    for (const Curve &curve : panel.curves)
        if (curve.name() == name) return &curve;
    return nullptr;
}

// The user's target: always for VMAF, for other scores if a curve reaches it. Else a typical value that most curves
// reach, else the middle of the common range.
std::optional<double> choose_target(const std::vector<const Panel *> &panels, const std::vector<double> &wishes,
                                    bool &is_given) {
    const bool is_vmaf = panels.front()->metric.starts_with("vmaf");
    const auto reached = [&](double target) {
        std::size_t count = 0;
        for (const Panel *panel : panels) {
            std::size_t here = 0;
            for (const Curve &curve : panel->curves) here += rate_at_score(curve.points, target).has_value();
            if (here > 1) count += here;
        }
        return count;
    };
    is_given = true;
    for (const double target : wishes)
        if (reached(target) > 0) return target;
    if (is_vmaf && !wishes.empty()) return wishes.front();
    is_given = false;
    std::vector<double> candidates;
    if (is_vmaf) candidates = {93, 95, 90, 85, 80, 75, 70, 60};
    std::vector<double> middles;
    for (const Panel *panel : panels)
        for (const Curve &curve : panel->curves)
            if (const auto sorted = rising(curve.points); sorted.size() > 1)
                middles.push_back((sorted.front().score + sorted.back().score) / 2);
    if (middles.empty()) return std::nullopt;
    std::ranges::sort(middles);
    candidates.push_back(std::round(middles[middles.size() / 2] * 100) / 100);
    std::optional<double> best;
    std::size_t most = 0;
    for (const double target : candidates)
        if (const std::size_t count = reached(target); count > most) {
            best = target;
            most = count;
        }
    return best;
}

// Savings of one list of bitrates relative to another, over the sources that have both.
Saving saving_of(const std::vector<std::optional<double>> &own, const std::vector<std::optional<double>> &base) {
    Saving saving;
    double sum = 0;
    for (std::size_t i = 0; i < own.size(); i++) {
        if (!own[i] || !base[i]) continue;
        const double percent = 100 * (1 - *own[i] / *base[i]);
        saving.low = saving.sources ? std::min(saving.low, percent) : percent;
        saving.high = saving.sources ? std::max(saving.high, percent) : percent;
        saving.sources++;
        sum += std::log(*own[i] / *base[i]);
    }
    if (saving.sources) saving.mean = 100 * (1 - std::exp(sum / double(saving.sources)));
    return saving;
}

RateInterval interval_of(const Curve *curve, double score, double kbps) {
    const auto points = curve ? rising(curve->points) : std::vector<RatePoint>();
    for (std::size_t i = 1; i < points.size(); i++)
        if (points[i].score >= score && points[i - 1].score <= score)
            return interpolation_interval(points[i - 1].kbps, points[i].kbps, kbps);
    return {kbps, kbps};
}

// Whether the intervals overlap, on average over the sources that have both.
bool is_tie(const Contender &winner, const Contender &other) {
    double sum = 0;
    std::size_t sources = 0;
    for (std::size_t i = 0; i < winner.kbps.size(); i++)
        if (winner.kbps[i] && other.kbps[i]) {
            sum += std::log(other.intervals[i].low / winner.intervals[i].high);
            sources++;
        }
    return sources > 0 && sum <= 0;
}

// Why a configuration has no bitrate at a score on any source.
std::string why_not(const std::vector<const Panel *> &panels, const std::string &name, double target) {
    std::optional<double> low, high;
    for (const Panel *panel : panels)
        if (const Curve *curve = curve_named(*panel, name))
            for (const RatePoint &p : curve->points) {
                low = std::min(low.value_or(p.score), p.score);
                high = std::max(high.value_or(p.score), p.score);
            }
    if (low && *low > target) return name + ": its lowest point, " + fixed_text(*low, 2) + ", is above the target";
    if (high && *high < target) return name + ": its highest point, " + fixed_text(*high, 2) + ", is below the target";
    return name + ": its points do not enclose the target";
}

std::string percent_text(double value) { return fixed_text(std::fabs(value), 1) + " %"; }

} // namespace

std::vector<std::vector<const Panel *>> panels_by_score(const std::vector<Panel> &panels) {
    std::vector<std::vector<const Panel *>> groups;
    for (const Panel &panel : panels) {
        const auto own = std::ranges::find_if(
            groups, [&](const auto &group) { return group.front()->score_name() == panel.score_name(); });
        if (own == groups.end())
            groups.push_back({&panel});
        else
            own->push_back(&panel);
    }
    return groups;
}

std::optional<Verdict> find_verdict(const std::vector<const Panel *> &panels, const std::vector<double> &targets,
                                    const std::string &baseline) {
    if (panels.empty()) return std::nullopt;
    if (const auto choice = metric_choice(panels.front()->metric); choice && choice->lower_is_better)
        return std::nullopt;
    Verdict verdict;
    verdict.score_name = panels.front()->score_name();
    const auto target = choose_target(panels, targets, verdict.is_given);
    if (!target) return std::nullopt;
    verdict.target = *target;
    for (const std::string &name : curve_names(panels)) {
        Contender contender{name, {}, {}, {}};
        for (const Panel *panel : panels) {
            const Curve *curve = curve_named(*panel, name);
            contender.kbps.push_back(curve ? rate_at_score(curve->points, *target) : std::nullopt);
            contender.intervals.push_back(interval_of(curve, *target, contender.kbps.back().value_or(0)));
        }
        if (std::ranges::any_of(contender.kbps, [](const auto &k) { return k.has_value(); }))
            verdict.contenders.push_back(std::move(contender));
        else
            verdict.excluded.push_back(why_not(panels, name, *target));
    }
    if (!verdict.has_winner() && (!verdict.is_given || curve_names(panels).size() < 2)) return std::nullopt;
    if (!verdict.has_winner()) return verdict;
    // The baseline: the given one, else the most common encoder, else the one that needs most.
    const Contender *base = nullptr;
    const auto find_named = [&](const std::string &start) {
        for (const Contender &c : verdict.contenders)
            if (!base && !start.empty() && c.name.starts_with(start)) base = &c;
    };
    for (const std::string &start :
         {baseline, std::string("libx264 medium"), std::string("libx264"), std::string("libx265")})
        find_named(start);
    if (!base) base = &verdict.contenders.front();
    verdict.baseline = base->name;
    const std::vector<std::optional<double>> base_rates = base->kbps;
    for (Contender &c : verdict.contenders) c.saving = saving_of(c.kbps, base_rates);
    // Reaching the target on more sources beats larger savings on a few.
    std::ranges::stable_sort(verdict.contenders, [](const Contender &a, const Contender &b) {
        if (a.saving.sources != b.saving.sources) return a.saving.sources > b.saving.sources;
        return a.saving.mean > b.saving.mean;
    });
    verdict.winner = verdict.contenders.front().name;
    for (const Contender &c : verdict.contenders)
        if (c.name != verdict.winner && is_tie(verdict.contenders.front(), c)) verdict.tied.push_back(c.name);
    for (std::size_t i = 0; i < panels.size(); i++) {
        SourceVerdict own{panels[i]->src, "", 0, std::nullopt};
        for (const Contender &c : verdict.contenders)
            if (c.kbps[i] && (own.winner.empty() || *c.kbps[i] < own.kbps)) {
                own.winner = c.name;
                own.kbps = *c.kbps[i];
            }
        if (!own.winner.empty() && base_rates[i]) own.saving = 100 * (1 - own.kbps / *base_rates[i]);
        verdict.sources.push_back(std::move(own));
    }
    return verdict;
}

std::string Verdict::sentence() const {
    std::string others;
    for (const std::string &reason : excluded) others += (others.empty() ? " Not compared: " : "; ") + reason;
    if (!others.empty()) others += ".";
    if (!tied.empty()) {
        std::string names;
        for (const std::string &name : tied) names += (names.empty() ? "" : ", ") + name;
        others = " Too close to call from these points: " + names + "." + others;
    }
    const std::string at = score_name + " " + number_text(target);
    if (!has_winner())
        return (contenders.empty() ? "No configuration" : "Only " + contenders.front().name) + " can be judged at " +
               at + "." + others;
    const Contender &best = contenders.front();
    const std::size_t sources_in_all = best.kbps.size();
    if (winner == baseline)
        return winner + " needs the least bitrate at " + at +
               (contenders.size() > 1 && contenders[1].saving.sources
                    ? "; next is " + contenders[1].name + " with " + percent_text(contenders[1].saving.mean) + " more"
                    : "") +
               "." + others;
    std::string text = winner + " needs " + percent_text(best.saving.mean) +
                       (best.saving.mean >= 0 ? " less" : " more") + " bitrate than " + baseline + " at " + at;
    if (best.saving.sources > 1)
        text += ", " + fixed_text(best.saving.low, 1) + " to " + fixed_text(best.saving.high, 1) + " % over " +
                std::to_string(best.saving.sources) +
                (best.saving.sources < sources_in_all ? " of " + std::to_string(sources_in_all) : "") + " sources";
    return text + "." + others;
}

RateMatrix average_bd_rates(const std::vector<const Panel *> &panels) {
    RateMatrix matrix{curve_names(panels), {}};
    for (const std::string &row : matrix.names) {
        matrix.cells.emplace_back();
        for (const std::string &column : matrix.names) {
            AverageRate average;
            for (const Panel *panel : panels) {
                const Curve *test = curve_named(*panel, row), *anchor = curve_named(*panel, column);
                if (row == column || !test || !anchor) continue;
                const auto rate = bd_rate(anchor->points, test->points);
                if (!rate) continue;
                average.low = average.sources ? std::min(average.low, rate->percent) : rate->percent;
                average.high = average.sources ? std::max(average.high, rate->percent) : rate->percent;
                average.mean += rate->percent;
                average.sources++;
            }
            if (average.sources) average.mean /= double(average.sources);
            matrix.cells.back().push_back(average);
        }
    }
    return matrix;
}

} // namespace vmaf::tune
