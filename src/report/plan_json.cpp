#include "credence/report.hpp"
#include "report/provenance.hpp"

namespace credence::report {
namespace {

using io::Json;

Json parts(const VarianceParts& p) {
  return {{"between_examples", number_json(p.between)},
          {"within_examples_per_vote", number_json(p.within)},
          {"observed_in_pilot", number_json(p.total_at_pilot)}};
}

}  // namespace

std::string plan_json(const Plan& plan, const Provenance& provenance) {
  Json document = document_head("credence-plan", provenance);
  document["advice"] = plan.advice;
  document["pilot"] = {{"rows", plan.pilot_rows},
                       {"rows_with_two_votes_or_more", plan.repeated_rows},
                       {"votes_per_example", plan.pilot_votes},
                       {"temperature", plan.temperature},
                       {"nll", plan.nll},
                       {"ece_expected", plan.ece_expected}};
  Json protocol{{"method", "slts"},
                {"level", plan.protocol.level},
                {"bins", plan.protocol.bins},
                {"model", "variance = (between + within / votes) / examples"}};
  add_origin(protocol, provenance);
  document["protocol"] = std::move(protocol);
  document["variance"] = {{"temperature_equation", parts(plan.temperature_parts)},
                          {"nll", parts(plan.nll_parts)},
                          {"gap", parts(plan.ece_parts)}};
  document["disputed_share"] = plan.disputed_share;
  Json grid = Json::array();
  for (const PlannedWidth& cell : plan.grid) {
    grid.push_back({{"examples", cell.examples},
                    {"votes", cell.votes},
                    {"annotations", cell.examples * static_cast<std::size_t>(cell.votes)},
                    {"temperature_width", number_json(cell.temperature)},
                    {"nll_width", number_json(cell.nll)},
                    {"ece_expected_width", number_json(cell.ece_expected)},
                    {"ece_expected_shown", number_json(cell.ece_shown)}});
  }
  document["grid"] = std::move(grid);
  return io::to_json_text(document);
}

}  // namespace credence::report
