// SPDX-License-Identifier: Apache-2.0
#include "mbsc/options/table.h"

#include <algorithm>

namespace mbsc {
namespace {

/// The affinities that compare all pairs of points.
const std::vector<std::string> kernels{"rbf", "exponential", "cosine"};

std::vector<OptionRow> problem_rows() {
  const auto in_problem = OptionGroup::problem;
  std::vector<std::string> dense = kernels;
  dense.push_back("precomputed");
  return {
      integer_option(
          "clusters", [](auto& o) -> auto& { return o.clusters; })
          .at_least(1)
          .at_most_n()
          .flagged("-k,--clusters")
          .in_python("n_clusters")
          .in(in_problem)
          .help("number of clusters"),
      word_option(
          "scale", words::scalings, [](auto& o) -> auto& { return o.scale; })
          .in(in_problem)
          .help("scale each feature: to [0,1] (unit), to [-1,1] (symmetric), or to mean 0 and deviation 1 (standard)"),
      integer_option(
          "scale_rows", [](auto& o) -> auto& { return o.scale_rows; })
          .at_least(1)
          .at_most_n()
          .or_zero()
          .in(in_problem)
          .automatically("all rows")
          .help("compute the scaling from the first N rows"),
      word_option(
          "affinity", words::affinities, [](auto& o) -> auto& { return o.affinity; })
          .in(in_problem)
          .spelled_in_python("neighbors", "nearest_neighbors")
          .automatically("neighbors; landmarks above 2,000,000 points, or if the neighbor graph has more than k large "
                         "components; rbf if an option is given that only a dense kernel has")
          .help("similarity of two points; neighbors: the weighted graph of near points; landmarks: points that share "
                "near landmarks, for millions of points; kernels that compare all pairs: rbf exp(-gamma |x-y|^2), "
                "exponential exp(-gamma |x-y|), or cosine; with precomputed the input is a matrix of affinities or a "
                "graph"),
      real_option(
          "gamma", [](auto& o) -> auto& { return o.gamma; })
          .positive()
          .in(in_problem)
          .only_if("affinity", {"rbf", "exponential"})
          .automatically("from sampled distances")
          .help("gamma of the kernels rbf and exponential: a larger value makes the kernel narrower"),
      word_option(
          "degrees", words::degree_kinds, [](auto& o) -> auto& { return o.degrees; })
          .in(in_problem)
          .only_if("affinity", dense)
          .help("how degrees are found: exact; sampled = estimated from columns, which count in passes; nystrom = its "
                "own approximation (method nystrom only)"),
      integer_option(
          "degree_columns", [](auto& o) -> auto& { return o.degree_columns; })
          .at_least(1)
          .in(in_problem)
          .only_if("affinity", dense)
          .automatically("n/50, at least 2000, within the budget")
          .help("columns drawn for sampled degrees"),
      real_option(
          "regularization", [](auto& o) -> auto& { return o.regularization; })
          .at_least(0)
          .in(in_problem)
          .automatically("affinity neighbors: 0.0001, above 10,000 points 1/n, or 0 if the graph has at least k large "
                         "components; affinity landmarks, "
                         "or a given graph: 0; else 0.001")
          .help("add the same small affinity to every pair of points, so that every degree grows by this share of the "
                "mean degree; 0 is the plain normalized cut"),
      word_option(
          "embedding_scale", words::embedding_scales, [](auto& o) -> auto& { return o.embedding_scale; })
          .in(in_problem)
          .help("rows of the eigenvectors that get labels: as they are (none), scaled to length 1 (row), or "
                "divided by the root of the degree (degree)"),
      word_option(
          "cutoff", words::cutoffs, [](auto& o) -> auto& { return o.cutoff; })
          .in(in_problem)
          .for_methods({"chebyshev"})
          .automatically(
              "soft if the affinity is neighbors, assign is kmeans and there are at least 1,000 points; else "
              "sharp")
          .help("eigenvectors that are used for the labels: the k leading ones (sharp), or also some after them, each "
                "with a weight "
                "that falls with its eigenvalue (soft)"),
      word_option(
          "assign", words::assignments, [](auto& o) -> auto& { return o.assign; })
          .in_python("assign_labels")
          .in(in_problem)
          .help("how the rows of the eigenvectors get labels: by k-means (kmeans), or by a rotation that is computed "
                "directly, without random numbers (cluster_qr)"),
      integer_option(
          "restarts", [](auto& o) -> auto& { return o.restarts; })
          .at_least(1)
          .in_python("n_init")
          .in(in_problem)
          .only_if("assign", {"kmeans"})
          .help("runs of k-means; the best one counts"),
  };
}

std::vector<OptionRow> graph_rows() {
  const auto in_problem = OptionGroup::problem;
  return {
      integer_option(
          "neighbors", [](auto& o) -> auto& { return o.neighbors; })
          .at_least(1)
          .at_most_n()
          .in_python("n_neighbors")
          .in(in_problem)
          .only_if("affinity", {"neighbors", "landmarks"})
          .automatically("2 log2(n) - 8 for up to 4 features, else 1.5 log2(n) - 12; at least 10, and more if the "
                         "graph falls into small pieces; affinity landmarks: 5, and more in the same case")
          .help("affinity neighbors: the number of nearest points that each point is joined to; affinity landmarks: "
                "the number of nearest landmarks"),
      word_option(
          "metric", words::metrics, [](auto& o) -> auto& { return o.metric; })
          .in(in_problem)
          .only_if("affinity", {"neighbors"})
          .help("distance of two points: between them (euclidean), or between their directions, whatever their lengths "
                "(cosine)"),
      word_option(
          "edge_weights", words::edge_weights, [](auto& o) -> auto& { return o.edge_weights; })
          .in(in_problem)
          .only_if("affinity", {"neighbors"})
          .help("weight of an edge, by distance (gaussian, one width), by the share of common "
                "neighbors (shared), their product (gaussian_shared), 1 (binary), or by distance with a width for each "
                "point (local), or with the widths of UMAP (fuzzy)"),
      word_option(
          "edges", words::edge_rules, [](auto& o) -> auto& { return o.edges; })
          .in(in_problem)
          .only_if("affinity", {"neighbors"})
          .help("join two points if one of them is among the nearest points of the other (union), or only if both are "
                "(mutual)"),
      real_option(
          "edge_width", [](auto& o) -> auto& { return o.edge_width; })
          .positive()
          .in(in_problem)
          .only_if("affinity", {"neighbors"})
          .automatically("1; for up to 4 features 0.5 for up to 10,000 points, rising to 1 at a million")
          .help("width of the Gaussian weights, as a multiple of the mean distance of neighbors; a smaller width gives "
                "edges in a sparse region smaller weights, so that the cut follows that region"),
      real_option(
          "recall", [](auto& o) -> auto& { return o.recall; })
          .positive()
          .at_most(1)
          .in(in_problem)
          .only_if("affinity", {"neighbors"})
          .help("share of true neighbors that the search must find, measured on a sample; 1 "
                "compares all pairs"),
      word_option(
          "symmetrize", words::symmetrizations, [](auto& o) -> auto& { return o.symmetrize; })
          .in(in_problem)
          .automatically("an asymmetric graph is refused")
          .help("given graph that is not symmetric: replace both weights of a pair by their mean or their maximum, or "
                "keep only pairs with both weights, with their mean (mutual)"),
  };
}

std::vector<OptionRow> limit_rows() {
  const auto in_limits = OptionGroup::limits;
  const std::vector<std::string> iterative{"minibatch", "adagrad", "exact", "power", "chebyshev"};
  return {
      real_option(
          "passes", [](auto& o) -> auto& { return o.limits.passes; })
          .positive()
          .for_methods({"minibatch", "adagrad", "exact", "nystrom", "power"})
          .in(in_limits)
          .automatically(
              "no limit; minibatch: 1 pass unless tolerance, seconds or iterations is given (adagrad: 1 pass or 200 "
              "iterations, whichever is more)")
          .help("budget of columns evaluated / n"),
      integer_option(
          "iterations", [](auto& o) -> auto& { return o.limits.iterations; })
          .at_least(1)
          .in_python("max_iter")
          .for_methods(iterative)
          .in(in_limits)
          .automatically("no limit; power: 3 if no other limit and no tolerance is given")
          .help("budget of batches, products or Krylov steps; chebyshev: of filters, each with many products"),
      real_option(
          "seconds", [](auto& o) -> auto& { return o.limits.seconds; })
          .positive()
          .for_methods(iterative)
          .in(in_limits)
          .automatically("no limit")
          .help("budget of wall-clock time for the solver"),
      real_option(
          "tolerance", [](auto& o) -> auto& { return o.limits.tolerance; })
          .positive()
          .in_python("tol")
          .in(in_limits)
          .automatically("none; exact: 1e-5")
          .help("end when every recomputed residual |Lw - theta w| is at most this"),
      real_option(
          "stall", [](auto& o) -> auto& { return o.limits.stall; })
          .at_least(0)
          .in(in_limits)
          .for_methods({"minibatch", "adagrad"})
          .automatically("never")
          .help("end if a step moves the subspace by less than this (rms sine)"),
  };
}

/// Options that several solvers share.
std::vector<OptionRow> solver_rows() {
  return {
      text_option(
          "method", method_names(), [](auto& o) -> auto& { return o.method; })
          .automatically("affinity landmarks: transfer; any other graph: chebyshev; else exact if a tolerance is "
                         "given; else minibatch if passes "
                         "or iterations are given; else exact "
                         "if it is cheap; "
                         "else minibatch")
          .help("how the eigenvectors are computed"),
      word_option(
          "step_rule", words::step_rules, [](auto& o) -> auto& { return o.step_rule; })
          .for_methods({"minibatch", "adagrad"})
          .help("how minibatch moves its block: by Ritz steps, or by the AdaGrad steps of the paper"),
      word_option(
          "start", words::starts, [](auto& o) -> auto& { return o.start; })
          .for_methods({"minibatch", "adagrad", "exact"})
          .automatically("minibatch: nystrom or neighbors, whichever is better; adagrad, exact: random")
          .help("first block: random, Nystrom's vectors, or those of the graph of neighbors (minibatch only)"),
      integer_option(
          "landmarks", [](auto& o) -> auto& { return o.landmarks; })
          .at_least(1)
          .at_most_n()
          .for_methods({"minibatch", "adagrad", "exact", "nystrom", "power", "chebyshev", "transfer"})
          .automatically("method nystrom: max(500, 2k); start of minibatch: up to 2000; start of adagrad or exact: "
                         "10; affinity landmarks: n/4, at most 3000, but at least 200 and 20 for each cluster")
          .help("points that Nystrom samples, as a method and as a start; affinity landmarks: the number of landmarks"),
      integer_option(
          "guards", [](auto& o) -> auto& { return o.guards; })
          .at_least(0)
          .at_most_n()
          .for_methods({"minibatch", "adagrad"})
          .automatically("max(4, 2k); adagrad: 0")
          .help("columns of the block beyond k"),
      integer_option(
          "batch_size", [](auto& o) -> auto& { return o.batch_size; })
          .at_least(1)
          .at_most_n()
          .for_methods({"minibatch", "adagrad"})
          .automatically("each batch as large as all before it together; with iterations, and for adagrad: n/100, "
                         "within 10 to 2000")
          .help("columns of a batch"),
      integer_option(
          "block_size", [](auto& o) -> auto& { return o.block_size; })
          .at_least(1)
          .at_most_n()
          .for_methods({"exact", "nystrom", "power", "chebyshev"})
          .automatically("k; exact: k + max(4, k/2); chebyshev: k + max(6, k/2), rounded up to a multiple of 16")
          .help("columns of a block; power and nystrom return k of them"),
  };
}

std::vector<OptionRow> run_rows() {
  const auto in_run = OptionGroup::run;
  return {
      integer_option(
          "seed", [](auto& o) -> auto& { return o.seed; })
          .at_least(0)
          .in_python("random_state")
          .in(in_run)
          .help("seed of all random numbers: the same seed gives the same bits"),
      integer_option(
          "threads", [](auto& o) -> auto& { return o.threads; })
          .at_least(1)
          .or_zero()
          .in_python("n_jobs")
          .in(in_run)
          .automatically("OMP_NUM_THREADS, else all CPUs that this process may use")
          .help("threads of this process, or of each rank"),
      bytes_option(
          "cache", [](auto& o) -> auto& { return o.cache; })
          .at_least(0)
          .formerly("memory")
          .in(in_run)
          .only_if("affinity", kernels)
          .help("bytes of kernel values kept from the degree pass for later products: 500M, 5G"),
  };
}

std::vector<OptionRow> make_rows() {
  std::vector<OptionRow> rows = problem_rows();
  const auto append = [&](const std::vector<OptionRow>& more) { rows.insert(rows.end(), more.begin(), more.end()); };
  append(solver_rows());
  for (const SolverRow* solver : solvers()) append(solver->options);
  append(graph_rows());
  append(limit_rows());
  append(run_rows());
  return rows;
}

}  // namespace

std::span<const OptionRow> option_rows() {
  static const std::vector<OptionRow> rows = make_rows();
  return rows;
}

const OptionRow* find_option(std::string_view name) {
  for (const OptionRow& row : option_rows())
    if (row.name == name) return &row;
  return nullptr;
}

const OptionRow* find_python_option(std::string_view argument) {
  for (const OptionRow& row : option_rows()) {
    if (row.python == argument || row.name == argument) return &row;
    if (!row.old_name.empty() && row.old_name == argument) return &row;
  }
  return nullptr;
}

}  // namespace mbsc
