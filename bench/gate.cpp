// The jobs that 'make bench-check' measures in two commits of this library. This file is compiled
// against both, so it keeps to the public headers.
//
//   gate --list      a job per line: name, and whether it is also timed
//   gate count NAME  runs it once on few rows; only measured_work() counts
//   gate time NAME   runs it on many rows; prints the seconds of processor time of the fastest run
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>

#include "bench_data.hpp"
#include "credence/auto_fit.hpp"
#include "credence/bootstrap.hpp"
#include "credence/compare.hpp"
#include "credence/evaluate.hpp"
#include "credence/io.hpp"

/// Callgrind counts between entry and return of this function, which it finds by its plain name.
extern "C" __attribute__((noinline)) void measured_work(const std::function<void()>& work) {
  work();
  asm volatile("");  // no jump instead of a call: there must be a return
}

namespace credence::bench {
namespace {

using Work = std::function<void()>;

template <class T>
void keep(const T& value) {
  benchmark::DoNotOptimize(value);
}

FitOptions one_thread() {
  FitOptions options;
  options.threads = 1;
  return options;
}

Calibrator fitted(const char* method, const Problem& p) {
  return fit(parse_method(method), p.data, one_thread());
}

Matrix<double> calibrated(const char* method, const Problem& p) {
  Matrix<double> out(p.scores.rows(), p.scores.cols());
  fitted(method, p).apply(p.data.scores, out.view());
  return out;
}

Work fit_job(const Problem& p, const char* method) {
  return [&p, method] { keep(fitted(method, p)); };
}

Work fit_auto_job(const Problem& p, const char* method) {
  return [&p, method] { keep(fit_auto(parse_method(method), p.data, one_thread())); };
}

Work apply_job(const Problem& p, const char* method) {
  return [&p, calibrator = fitted(method, p),
          out = std::make_shared<Matrix<float>>(p.scores.rows(), p.scores.cols())] {
    calibrator.apply(p.data.scores, out->view());
    keep(out->view().data());
  };
}

Work evaluate_job(const Problem& p, const char* method) {
  return [&p, given = calibrated(method, p)] {
    keep(evaluate(given.view(), p.data.votes, {.threads = 1}));
  };
}

Work top_errors_job(const Problem& p, const char* method) {
  return [&p, given = calibrated(method, p)] {
    keep(top_errors(given.view(), p.data.votes, {.draws = 0, .threads = 1}));
  };
}

Work resample_job(const Problem& p, const char*) {
  std::vector<Evaluation> methods;
  for (const char* method : {"uncalibrated", "ts", "slts", "soft-platt"}) {
    methods.push_back(evaluate(calibrated(method, p).view(), p.data.votes,
                               {.draws = 0, .keep_rows = true, .threads = 1}));
  }
  return [methods = std::move(methods)] {
    const std::size_t references[] = {0, 1};
    keep(bootstrap(methods, {}, references, {.resamples = 50, .threads = 1}));
  };
}

Work compare_job(const Problem& p, const char* methods) {
  CompareOptions options;
  for (std::string list = methods; !list.empty();) {
    const std::size_t comma = list.find(',');
    options.methods.push_back(list.substr(0, comma));
    list.erase(0, comma == std::string::npos ? comma : comma + 1);
  }
  options.bootstrap.resamples = 20;
  options.threads = 1;
  return [&p, options] { keep(compare(p.data, options)); };
}

/// Everything between the arrays a user has and a Dataset.
Work intake_job(const Problem& p, const char* kind) {
  Matrix<double> counts(p.scores.rows(), p.scores.cols());
  for (std::size_t i = 0; i < counts.rows(); ++i) {
    const VoteRow row = p.data.votes.row(i);
    for (std::size_t j = 0; j < row.classes.size(); ++j) {
      counts(i, row.classes[j]) = row.weights[j];
    }
  }
  const bool probs = std::strcmp(kind, "probs") == 0;
  auto scores = std::make_shared<Matrix<float>>(p.scores);
  if (probs) fitted("slts", p).apply(p.data.scores, scores->view());
  return [counts = std::move(counts), scores, probs] {
    keep(make_dataset(scores->view(), probs ? ScoreKind::probs : ScoreKind::logits,
                      Votes::from_counts(counts.view())));
  };
}

Work fingerprint_job(const Problem& p, const char*) {
  return [&p] { keep(p.data.fingerprint()); };
}

Work read_scores_job(const Problem& p, const char* name) {
  const std::string ending = std::filesystem::path(name).extension();
  const io::TableFormat format = ending == ".npy"   ? io::TableFormat::npy
                                 : ending == ".csv" ? io::TableFormat::csv
                                                    : io::TableFormat::jsonl;
  Matrix<double> values(p.scores.rows(), p.scores.cols());
  for (std::size_t i = 0; i < values.rows() * values.cols(); ++i) {
    values.data()[i] = p.scores.data()[i];
  }
  auto table = io::create_table(folder().file(name), {.format = format}, {});
  table->write(values.view(), {});
  table->commit();
  io::ScoreFile file;
  file.path = folder().file(name);
  if (format == io::TableFormat::jsonl) file.scores_field = "probs";
  return [file] { keep(io::load_scores(file, io::LoadAs::float32)); };
}

/// One line per annotation.
Work read_votes_job(const Problem& p, const char* name) {
  std::string text = "example,annotator,label\n";
  for (std::size_t i = 0; i < p.data.rows(); ++i) {
    const VoteRow row = p.data.votes.row(i);
    int annotator = 0;
    for (std::size_t j = 0; j < row.classes.size(); ++j) {
      for (double left = row.weights[j]; left > 0.0; left -= 1.0) {
        text += std::to_string(i) + ",a" + std::to_string(annotator++) + "," +
                std::to_string(row.classes[j]) + "\n";
      }
    }
  }
  io::write_text(folder().file(name), text);
  io::VoteFile file;
  file.path = folder().file(name);
  file.expected_classes = p.data.classes_count();
  return [file] { keep(io::load_votes(file)); };
}

/// Rows are those counted and those timed, 0 where the job is not timed.
struct Job {
  const char* name;
  Work (*prepare)(const Problem&, const char*);
  const char* argument;
  std::size_t counted, timed, classes;
};

constexpr Job kJobs[] = {
    {"intake-logits", intake_job, "logits", 2000, 1000000, 10},
    {"intake-probs", intake_job, "probs", 2000, 100000, 100},
    {"fingerprint", fingerprint_job, "", 5000, 0, 10},
    {"read-npy", read_scores_job, "scores.npy", 5000, 0, 10},
    {"read-csv", read_scores_job, "scores.csv", 2000, 300000, 10},
    {"read-jsonl", read_scores_job, "scores.jsonl", 2000, 300000, 10},
    {"read-votes", read_votes_job, "votes.csv", 1000, 300000, 10},
    {"fit-slts", fit_job, "slts", 3000, 1000000, 10},
    {"fit-slts-wide", fit_job, "slts", 500, 100000, 100},
    {"fit-soft-platt", fit_job, "soft-platt", 2000, 300000, 10},
    {"fit-dirichlet-soft", fit_job, "dirichlet-soft", 500, 50000, 10},
    {"fit-ridge-log", fit_job, "ridge-log", 500, 50000, 10},
    {"fit-ir-soft", fit_job, "ir-soft", 3000, 500000, 10},
    {"fit-auto", fit_auto_job, "auto", 200, 5000, 5},
    {"apply-slts", apply_job, "slts", 5000, 1000000, 10},
    {"apply-dirichlet-soft", apply_job, "dirichlet-soft", 2000, 0, 10},
    {"apply-ir-soft", apply_job, "ir-soft", 5000, 0, 10},
    {"evaluate", evaluate_job, "slts", 2000, 300000, 10},
    {"top-errors", top_errors_job, "slts", 5000, 1000000, 10},
    {"resample", resample_job, "", 1000, 100000, 10},
    {"compare", compare_job, "ts,slts,soft-platt,ir-soft", 500, 50000, 10},
};

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double fastest(const Work& work) {
  constexpr double kLongEnough = 0.3;
  double best = 1e300, spent = 0.0;
  for (int run = 0; run < 3 || (run < 20 && spent < kLongEnough); ++run) {
    const double start = processor_seconds();
    measured_work(work);
    const double now = processor_seconds() - start;
    best = std::min(best, now);
    spent += now;
  }
  return best;
}

int run(const std::string& how, const std::string& name) {
  for (const Job& job : kJobs) {
    if (job.name != name) continue;
    const bool timed = how == "time";
    const Problem& p = problem(timed ? job.timed : job.counted, job.classes);
    const Work work = job.prepare(p, job.argument);
    if (timed) {
      std::printf("%.9f\n", fastest(work));
    } else {
      measured_work(work);
    }
    return 0;
  }
  std::fprintf(stderr, "gate: no job '%s'\n", name.c_str());
  return 2;
}

}  // namespace
}  // namespace credence::bench

int main(int argc, char** argv) {
  using namespace credence::bench;
  if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
    for (const Job& job : kJobs) std::printf("%s%s\n", job.name, job.timed > 0 ? " timed" : "");
    return 0;
  }
  if (argc == 3) return run(argv[1], argv[2]);
  std::fprintf(stderr, "usage: gate --list | gate count NAME | gate time NAME\n");
  return 2;
}
