#include "credence/report.hpp"
#include "report/record_fields.hpp"

namespace credence::report {

template <>
struct Fields<VarianceParts> {
  static void visit(auto& see, auto& parts) {
    see("between_examples", parts.between);
    see("within_examples_per_vote", parts.within);
    see("observed_in_pilot", parts.total_at_pilot);
  }
};

template <>
struct Fields<PlannedWidth> {
  static void visit(auto& see, auto& cell) {
    see("examples", cell.examples);
    see("votes", static_cast<std::size_t>(cell.votes));
    see("annotations", cell.examples * static_cast<std::size_t>(cell.votes));
    see("temperature_width", cell.temperature);
    see("nll_width", cell.nll);
    see("ece_expected_width", cell.ece_expected);
    see("ece_expected_shown", cell.ece_shown);
  }
};

std::string plan_json(const Plan& plan, const Provenance& provenance) {
  RecordWriter see;
  see_head(see, "credence-plan", provenance);
  see("advice", plan.advice);
  see.object("pilot", [&](auto& pilot) {
    pilot("rows", plan.pilot_rows);
    pilot("rows_with_two_votes_or_more", plan.repeated_rows);
    pilot("votes_per_example", plan.pilot_votes);
    pilot("temperature", plan.temperature);
    pilot("nll", plan.nll);
    pilot("ece_expected", plan.ece_expected);
  });
  see.object("protocol", [&](auto& protocol) {
    protocol("method", std::string("slts"));
    protocol("level", plan.protocol.level);
    protocol("bins", static_cast<std::size_t>(plan.protocol.bins));
    protocol("model", std::string("variance = (between + within / votes) / examples"));
    see_data_origin(protocol, provenance);
  });
  see.object("variance", [&](auto& variance) {
    variance("temperature_equation", plan.temperature_parts);
    variance("nll", plan.nll_parts);
    variance("gap", plan.ece_parts);
  });
  see("disputed_share", plan.disputed_share);
  see("grid", plan.grid);
  return io::to_json_text(see.take());
}

}  // namespace credence::report
