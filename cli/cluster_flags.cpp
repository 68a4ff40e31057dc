// SPDX-License-Identifier: Apache-2.0
#include "cli/cluster_flags.h"

#include <cmath>

#include "mbsc/base/require.h"
#include "mbsc/base/thread_pool.h"
#include "mbsc/option_words.h"

namespace mbsc::cli {
namespace {

using namespace words;

const Words<FileFormat> formats{{"auto", FileFormat::automatic},
                                {"csv", FileFormat::csv},
                                {"tsv", FileFormat::tsv},
                                {"libsvm", FileFormat::libsvm},
                                {"npy", FileFormat::npy}};

enum class Preset { paper };
const Words<Preset> presets{{"paper", Preset::paper}};

/// 500M, 1.5G, 4096: to a whole number of bytes; K is 1,024.
CLI::Validator size_in_bytes() {
  return CLI::Validator(
      [](std::string& text) {
        size_t used = 0;
        double value = -1;
        try {
          value = std::stod(text, &used);
        } catch (const std::exception&) {
        }
        std::string unit = text.substr(std::min(used, text.size()));
        if (unit.ends_with("iB")) unit.resize(unit.size() - 2);
        const size_t power = unit.empty() ? 0 : std::string("KMGT").find(unit) + 1;
        if (!(value >= 0 && value < 1e15) || unit.size() > 1 || (!unit.empty() && power == 0))
          return fmt::format("must be a size such as 500M or 5G; got '{}'", text);
        text = fmt::format("{:.0f}", value * std::pow(1024.0, double(power)));
        return std::string();
      },
      "", "");
}

/// Refuses any word that is not a key of the map, naming the option, the choices and the word.
template <class Enum>
CLI::Validator one_of(const Words<Enum>& words, const std::string& also = "") {
  return CLI::Validator(
      [&words, also](const std::string& word) {
        if (words.count(word) > 0 || (!also.empty() && word == also)) return std::string();
        return fmt::format("must be one of {}; got '{}'", choices(words, also), word);
      },
      "", "");
}

template <class Enum>
void assign(Enum& to, const Words<Enum>& words, const std::optional<std::string>& word) {
  if (word) to = words.at(*word);
}
template <class To, class From>
void assign(To& to, const std::optional<From>& from) {
  if (from) to = *from;
}

}  // namespace

void ClusterFlags::add_to(CLI::App& command) {
  command.add_option("input", input, "points: csv, tsv, libsvm or npy, plain or gzip; - = standard input")->required();
  command.add_option("-k,--clusters", clusters, "number of clusters; required");

  const char* reading = "Reading";
  command.add_option("--format", format, "auto | csv | tsv | libsvm | npy")->check(one_of(formats))->group(reading);
  command.add_option("--label-column", label_column, "column of the true classes: last | first | N (from 1)")
      ->group(reading);
  command.add_option("--scale", scale, "per feature: none | unit [0,1] | symmetric [-1,1] | standard (mean 0, sd 1)")
      ->check(one_of(scalings))
      ->group(reading);
  command.add_option("--scale-rows", scale_rows, "take the ranges from the first N rows; 0 = all")->group(reading);

  const char* problem = "Problem";
  command
      .add_option("--affinity", affinity,
                  "rbf exp(-gamma |x-y|^2) | exponential exp(-gamma |x-y|) | cosine | precomputed")
      ->check(one_of(affinities))
      ->group(problem);
  auto* gamma_flag =
      command.add_option("--gamma", gamma, "a number, or auto: from sampled distances [auto]")->group(problem);
  command.add_option("--sigma", sigma, "gamma = 1 / sigma^2")->excludes(gamma_flag)->group(problem);
  command
      .add_option("--regularization", regularization,
                  "adds this share of the mean degree, spread over all pairs [0.001; paper: 0]")
      ->group(problem);
  command
      .add_option("--embedding-scale", embedding_scale,
                  "rows k-means sees: none (paper) | row (length 1) | degree [row]")
      ->check(one_of(embedding_scales))
      ->group(problem);
  command.add_option("--restarts", restarts, "of k-means [10]")->group(problem);

  const char* solver = "Solver";
  command.add_option("--method", method, "auto | minibatch | nystrom | power | exact [auto]")
      ->check(one_of(methods, "auto"))
      ->group(solver);
  command.add_option("--preset", preset, "paper: the settings of Han & Filippone; options given beside it win")
      ->check(one_of(presets))
      ->group(solver);
  command
      .add_option("--passes", passes, "budget: columns evaluated / n [minibatch: 1; adagrad: at least 200 iterations]")
      ->group(solver);
  command.add_option("--iterations", iterations, "budget: batches, products or Krylov steps")->group(solver);
  command.add_option("--seconds", seconds, "budget: wall clock of the solver")->group(solver);
  command.add_option("--tolerance", tolerance, "largest recomputed residual |Lw - theta w| to reach [exact: 1e-5]")
      ->group(solver);
  command.add_option("--stall", stall, "minibatch: end when a step moves the subspace by less")->group(solver);
  command.add_option("--estimator", estimator, "minibatch: columns | signed")->check(one_of(estimators))->group(solver);
  command.add_option("--sampling", sampling, "minibatch: reshuffle | independent")
      ->check(one_of(samplings))
      ->group(solver);
  command.add_option("--batch-size", batch_size, "minibatch: columns of a batch, m = l N_r")
      ->check(CLI::Range(int64_t{1}, std::numeric_limits<int64_t>::max()))
      ->group(solver);
  command.add_option("--nonzeros", nonzeros, "minibatch, signed: l, non-zeros of a vector [2]")->group(solver);
  command.add_option("--vectors", vectors, "minibatch, signed: N_r, vectors of a batch, instead of --batch-size")
      ->group(solver);
  command.add_option("--probability", probability, "minibatch, signed: p, instead of --nonzeros")->group(solver);
  command
      .add_option("--start", start,
                  "minibatch, exact: auto | random | nystrom; minibatch: neighbors [auto: the better of the two]")
      ->check(one_of(starts))
      ->group(solver);
  command.add_option("--step-rule", step_rule, "minibatch: ritz | adagrad (the paper's) [ritz]")
      ->check(one_of(step_rules))
      ->group(solver);
  command.add_option("--guards", guards, "minibatch: columns beyond k [ritz: 2k, adagrad: 0]")->group(solver);
  command.add_option("--columns", columns, "minibatch, ritz: importance | uniform sampling [importance]")
      ->check(one_of(column_choices))
      ->group(solver);
  // Not a flag bound to the variable: that would be false where it is not given.
  const auto add_switch = [&](const std::string& name, std::optional<bool>& to, const std::string& text) {
    command.add_flag_callback("--" + name, [&to] { to = true; }, text)->group(solver);
    command.add_flag_callback("--no-" + name, [&to] { to = false; }, "not that")->group(solver);
  };
  add_switch("control-variate", control_variate,
             "minibatch, ritz: sample only what Nystrom misses, where that helps [on]");
  add_switch("polish", polish, "minibatch, ritz: full products from 1.5 passes on [on]");
  command.add_option("--step", step, "minibatch: lambda of AdaGrad [1/sqrt(n)]")->group(solver);
  command.add_option("--epsilon", epsilon, "minibatch: epsilon of AdaGrad [1e-6]")->group(solver);
  command.add_option("--landmarks", landmarks, "nystrom: sampled points [500; as a start up to 2,000, adagrad 10]")
      ->group(solver);
  command
      .add_option("--degrees", degrees,
                  "exact | sampled (from columns that count in the passes) | nystrom (its own approximation) [exact]")
      ->check(one_of(degree_kinds))
      ->group(solver);
  command.add_option("--degree-columns", degree_columns, "sampled degrees: columns drawn [n/50, at least 2000]")
      ->group(solver);
  command.add_option("--power-operator", power_operator, "power: plain L | shifted (I+L)/2 [plain]")
      ->check(one_of(operators))
      ->group(solver);
  command.add_option("--block-size", block_size, "columns of a block; power and nystrom keep k of them")->group(solver);
  command.add_option("--basis-size", basis_size, "exact: columns kept before a restart")->group(solver);

  const char* results = "Results";
  command.add_option("--labels", labels, "one label a line, input order; - = standard output")->group(results);
  command.add_option("--embedding", embedding, "n x k eigenvectors as .npy")->group(results);
  command.add_option("--summary", summary, "every setting and figure as .json")->group(results);
  command.add_option("--seed", seed, "same seed, same bits [0]")->check(CLI::NonNegativeNumber)->group(results);
  command.add_option("--threads", threads, "0 = all")->check(CLI::Range(0, 4096))->group(results);
  command
      .add_option("--memory", memory, "keep kernel values of the degree pass for full products: bytes, 500M, 5G [0]")
      ->transform(size_in_bytes())
      ->group(results);
  command.add_flag("-q,--quiet", quiet, "say nothing but errors")->group(results);
}

ReadOptions ClusterFlags::read_options(const StopToken& stop) const {
  ReadOptions options;
  options.format = formats.at(format);
  options.label_column = label_column;
  options.threads = threads > 0 ? threads : default_threads();
  options.stop = stop;
  return options;
}

Scaling ClusterFlags::scaling() const { return scalings.at(scale); }

ClusterOptions ClusterFlags::cluster_options(int64_t n, const StopToken& stop) const {
  ClusterOptions options;
  if (preset) {
    apply_paper_preset(options);
    options.solver.batch_size = std::min(options.solver.batch_size, n);
    options.solver.landmarks = std::min(options.solver.landmarks, n);
  }
  require(clusters.has_value(), "-k (--clusters) is required: how many clusters?");
  options.clusters = *clusters;
  options.seed = seed;
  options.threads = threads;
  options.memory = int64_t(std::min<uint64_t>(memory, uint64_t{1} << 60));
  options.stop = stop;
  if (method) options.method = *method == "auto" ? std::optional<Method>() : methods.at(*method);
  assign(options.affinity, affinities, affinity);
  assign(options.degrees, degree_kinds, degrees);
  if (degree_columns) {
    require(*degree_columns >= 1, "degree_columns must be at least 1; got {}", *degree_columns);
    options.degree_columns = *degree_columns;
  }
  require(!degree_columns || options.degrees == DegreeKind::sampled, "degree_columns goes with degrees = sampled only");
  assign(options.embedding_scale, embedding_scales, embedding_scale);
  assign(options.regularization, regularization);
  assign(options.restarts, restarts);
  if (gamma && *gamma != "auto") {
    char* end = nullptr;
    const double value = std::strtod(gamma->c_str(), &end);
    require(*end == '\0' && std::isfinite(value) && value > 0, "gamma must be a positive number or auto; got {}",
            *gamma);
    options.gamma = value;
  }
  if (sigma) {
    require(std::isfinite(*sigma) && *sigma > 0, "sigma must be positive; got {}", *sigma);
    options.gamma = 1 / (*sigma * *sigma);
    require(std::isfinite(*options.gamma) && *options.gamma > 0, "sigma = {} is out of range: gamma = 1 / sigma^2 = {}",
            *sigma, *options.gamma);
  }
  require(!options.gamma || options.affinity == AffinityKind::rbf || options.affinity == AffinityKind::exponential,
          "gamma and sigma go with the affinities rbf and exponential only");
  SolverOptions& s = options.solver;
  s.passes = passes;
  s.iterations = iterations;
  s.seconds = seconds;
  s.tolerance = tolerance;
  s.stall = stall;
  assign(s.estimator, estimators, estimator);
  assign(s.sampling, samplings, sampling);
  assign(s.start, starts, start);
  assign(s.step_rule, step_rules, step_rule);
  assign(s.columns, column_choices, columns);
  assign(s.control_variate, control_variate);
  assign(s.polish, polish);
  if (guards) s.guards = guards;
  assign(s.power_operator, operators, power_operator);
  assign(s.batch_size, batch_size);
  assign(s.nonzeros, nonzeros);
  if (probability) s.probability = probability;
  if (vectors) {
    require(*vectors >= 1 && *vectors <= n, "vectors must be in [1, {}]; got {}", n, *vectors);
    require(s.nonzeros >= 1 && s.nonzeros <= n, "nonzeros must be in [1, {}]; got {}", n, s.nonzeros);
    require(!batch_size, "vectors and batch_size exclude each other: m = l N_r");
    s.batch_size = probability ? std::max<int64_t>(1, std::llround(double(*vectors) * *probability * double(n)))
                               : *vectors * s.nonzeros;
  }
  assign(s.step, step);
  assign(s.epsilon, epsilon);
  assign(s.landmarks, landmarks);
  assign(s.block_size, block_size);
  assign(s.basis_size, basis_size);
  return options;
}

}  // namespace mbsc::cli
