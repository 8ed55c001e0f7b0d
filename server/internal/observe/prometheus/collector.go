package prometheus

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"clave/server/internal/base/fault"
	"clave/server/internal/observe/meter"
	"clave/server/internal/observe/usage"
)

// desc returns the description of a metric.
func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("clave_"+name, help, labels, nil)
}

// The metrics.
var (
	buildInfo = desc("build_info", "1, with the version of the program.", "version")
	healthy   = desc("healthy", "1 while the store and the disk are healthy, 0 otherwise.")

	callsTotal     = desc("calls_total", "Finished calls, by transport, method and canonical code.", "transport", "method", "code")
	callsForwarded = desc("calls_forwarded_total", "Finished calls, and requests of WebChannel, that were forwarded to another node, by transport, method and canonical code.", "transport", "method", "code")
	callDuration   = desc("call_duration_seconds", "Duration of calls, without the streams Listen and Write.", "transport", "method")
	callsOpen      = desc("calls_open", "Calls and streams in progress.", "transport", "method")

	operationDuration = desc("operation_duration_seconds", "Duration of reads, queries and commits on all transports.", "operation")
	commitsTotal      = desc("commits_total", "Commits.")
	writtenTotal      = desc("documents_written_total", "Writes of documents in commits.")
	readTotal         = desc("documents_read_total", "Documents that were read, including those of queries.")
	queriesTotal      = desc("queries_total", "Queries, listings and aggregations.")
	deniedTotal       = desc("operations_denied_total", "Operations on data that were denied.")
	groupSize         = desc("commit_group_size", "Commits per batch.")
	writeDuration     = desc("commit_write_duration_seconds", "Duration of writing a batch of commits to the disk, or to the cluster's log.")
	decisionsTotal    = desc("rule_decisions_total", "Decisions of security rules by method: allow, deny or error.", "method", "decision")

	listenStreams = desc("listen_streams", "Open streams of live queries.")
	listenTargets = desc("listen_targets", "Open targets of live queries.")
	fanoutDelay   = desc("fanout_delay_seconds", "Time from a commit until a live query's stream has sent it.")

	signInsTotal  = desc("sign_ins_total", "New sessions.")
	attemptsTotal = desc("sign_in_attempts_total", "Attempts to sign in or to refresh a token, by method and canonical code.", "method", "code")
	checksTotal   = desc("app_check_requests_total", "Requests of clients that App Check looked at, by product and what it found: a valid, invalid or missing token.", "product", "result")
	limitsTotal   = desc("limits_hit_total", "Requests that a limit refused.", "limit")

	storeBytes    = desc("store_bytes", "Bytes of data on this machine's disk.")
	storeFree     = desc("store_free_bytes", "Free bytes of that disk.")
	storeLogBytes = desc("store_log_bytes", "Bytes of the store's log that are not yet in a table.")
	memoryBytes   = desc("memory_bytes", "Memory that the program has obtained from the system.")
	requestBytes  = desc("request_memory_bytes", "Memory of requests that are being received.")

	backups        = desc("backups", "Backups that are kept.")
	backupBytes    = desc("backup_bytes", "Size of the newest backup.")
	backupTime     = desc("backup_timestamp_seconds", "Time of the newest backup; 0 if there is none.")
	backupProved   = desc("backup_verified_timestamp_seconds", "Time of the last trial restore that succeeded; 0 if there is none.")
	backupSecond   = desc("backup_verified_second_timestamp_seconds", "Second of the shipped log whose state the last trial restore has restored; 0 if there is none.")
	backupFailures = desc("backup_failures_total", "Failures by what failed: backup, restore or log.", "step")
	backupLogAge   = desc("backup_log_age_seconds", "Age of the oldest commit that is not in the shipped log, or of a gap; 0 if there is none.")
	backupLogUntil = desc("backup_log_timestamp_seconds", "Time up to which the shipped log has everything; 0 if nothing was shipped since the start.")
	backupLogBytes = desc("backup_log_bytes_total", "Bytes of the shipped log.")
	backupLogGaps  = desc("backup_log_gaps_total", "Gaps in the shipped log.")

	historyBytes  = desc("history_bytes", "Bytes of the versions that are older than an hour.")
	historyMax    = desc("history_max_bytes", "Maximum of clave_history_bytes.")
	historyWindow = desc("history_window_seconds", "Configured age up to which versions are kept.")
	historyShrunk = desc("history_shrunk_total", "How often the oldest versions within that age were dropped, for the maximum or a full disk.")

	billedTotal = desc("billed_operations_total", "Operations as Firestore would bill them: read, write, delete or ttl-delete, by the pattern of collections, of those with the most reads, and of all together.", "operation", "pattern")

	nodeRole     = desc("node_role", "1 for the role of this node: leader or follower.", "role")
	nodeReads    = desc("node_reads_total", "Reads that a follower served: current by a lease, or by an index from the leader.", "by")
	nodeEpoch    = desc("node_epoch", "The number of leaders so far, including the present one.")
	nodeLogLag   = desc("node_log_lag_rows", "Rows of the cluster's log that a node lacks. The leader reports all nodes, a follower only itself.", "node")
	nodeSeen     = desc("node_seen_seconds", "Seconds since a node reported its position. The leader reports all nodes; a follower reports the seconds since its last contact.", "node")
	nodeStateLag = desc("node_state_lag_rows", "Rows of the cluster's log that are not yet in its state.")
)

// all are the metrics, for Describe.
var all = []*prometheus.Desc{
	buildInfo, healthy, callsTotal, callsForwarded, callDuration, callsOpen, operationDuration, commitsTotal, writtenTotal, readTotal, queriesTotal, deniedTotal,
	groupSize, writeDuration, decisionsTotal, listenStreams, listenTargets, fanoutDelay, signInsTotal, attemptsTotal, checksTotal, limitsTotal, storeBytes,
	storeFree, storeLogBytes, memoryBytes, requestBytes, backups, backupBytes, backupTime, backupProved, backupSecond, backupFailures, backupLogAge, backupLogUntil, backupLogBytes, backupLogGaps, historyBytes, historyMax, historyWindow, historyShrunk, billedTotal, nodeRole, nodeReads, nodeEpoch, nodeLogLag, nodeSeen, nodeStateLag,
}

// attempts maps the methods of Authentication that begin or continue sessions, including their names in the former API,
// to their names in attemptsTotal.
var attempts = map[string]string{
	"accounts:signInWithPassword": "password", "verifyPassword": "password",
	"accounts:signInWithEmailLink": "email-link", "emailLinkSignin": "email-link",
	"accounts:signInWithPhoneNumber": "phone", "verifyPhoneNumber": "phone",
	"accounts:signInWithIdp": "provider", "verifyAssertion": "provider",
	"accounts:signInWithCustomToken": "custom", "verifyCustomToken": "custom",
	"accounts:signUp": "sign-up", "signupNewUser": "sign-up",
	"accounts/mfaSignIn:finalize": "second-factor", "accounts/passkeySignIn:finalize": "passkey", "token": "refresh",
}

// collector collects the metrics as of a moment.
type collector struct {
	o     Options
	state State
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range all {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	out := output{to}
	out.gauge(buildInfo, 1, c.o.Version)
	out.state(c.state)
	if c.o.Meter == nil {
		return
	}
	out.calls(c.o.Meter.Called())
	for _, m := range c.o.Meter.AllForwarded() {
		for code, n := range m.Codes {
			out.counter(callsForwarded, n, m.Transport, m.Method, code.String())
		}
	}
	out.counts(c.o.Meter.All())
}

// output takes metrics.
type output struct{ to chan<- prometheus.Metric }

// gauge reports a current value.
func (o output) gauge(d *prometheus.Desc, v float64, labels ...string) {
	o.to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
}

// counter reports a count.
func (o output) counter(d *prometheus.Desc, v uint64, labels ...string) {
	o.to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), labels...)
}

// histogram reports a distribution. For durations, which have many ranges, it joins two ranges to one.
func (o output) histogram(d *prometheus.Desc, from meter.Distribution, labels ...string) {
	const many = 20
	step := 1
	if len(from.Bounds) > many {
		step = 2
	}
	buckets, count := make(map[float64]uint64), uint64(0)
	for i, n := range from.Counts {
		count += n
		if i < len(from.Bounds) && (i%step == 0 || i == len(from.Bounds)-1) {
			buckets[from.Bounds[i]] = count
		}
	}
	o.to <- prometheus.MustNewConstHistogram(d, count, from.Sum, buckets, labels...)
}

// state reports the state of the server. Only a node of a cluster reports the metrics of nodes, and each only those
// that its role determines.
func (o output) state(s State) {
	well := 0.0
	if s.Healthy {
		well = 1
	}
	o.gauge(healthy, well)
	o.gauge(listenStreams, float64(s.Streams))
	o.gauge(listenTargets, float64(s.Targets))
	o.gauge(storeBytes, float64(s.StoreBytes))
	o.gauge(storeFree, float64(s.StoreFree))
	o.gauge(storeLogBytes, float64(s.LogBytes))
	o.gauge(memoryBytes, float64(s.Memory))
	o.gauge(requestBytes, float64(s.Requests))
	if s.Backups != nil {
		o.backups(*s.Backups)
	}
	if s.Usage != nil {
		o.usage(*s.Usage)
	}
	if h := s.History; h != nil {
		o.gauge(historyBytes, float64(h.Bytes))
		o.gauge(historyMax, float64(h.MaxBytes))
		o.gauge(historyWindow, h.Window.Seconds())
		o.counter(historyShrunk, uint64(h.Shrunk))
	}
	if n := s.Node; n != nil {
		for _, role := range []string{"leader", "follower"} {
			has := 0.0
			if role == n.Role {
				has = 1
			}
			o.gauge(nodeRole, has, role)
		}
		if n.Epoch > 0 {
			o.gauge(nodeEpoch, float64(n.Epoch))
		}
		if n.Role == "leader" {
			o.gauge(nodeStateLag, float64(n.StateLag))
		} else {
			o.counter(nodeReads, uint64(n.Leased), "lease")
			o.counter(nodeReads, uint64(n.Indexed), "index")
		}
		for _, m := range n.Members {
			o.gauge(nodeLogLag, float64(m.LogLag), m.Name)
			o.gauge(nodeSeen, m.Age.Seconds(), m.Name)
		}
	}
}

// backups reports the backups that the server makes.
func (o output) backups(b Backups) {
	o.gauge(backups, float64(b.Count))
	o.gauge(backupBytes, float64(b.Bytes))
	o.gauge(backupTime, seconds(b.Last))
	o.gauge(backupProved, seconds(b.Proved))
	o.gauge(backupSecond, seconds(b.Second))
	o.counter(backupFailures, b.Failures, "backup")
	o.counter(backupFailures, b.Unproved, "restore")
	if b.Log == nil {
		return
	}
	o.gauge(backupLogAge, b.Log.Age.Seconds())
	o.gauge(backupLogUntil, seconds(b.Log.Until))
	o.counter(backupFailures, b.Log.Failures, "log")
	o.counter(backupLogBytes, b.Log.Bytes)
	o.counter(backupLogGaps, b.Log.Gaps)
}

// allPatterns is the label of the sum of all patterns, which no collection has.
const allPatterns = "(all)"

// usage reports what Firestore would bill.
func (o output) usage(u Usage) {
	report := func(pattern string, c usage.Counts) {
		for operation, n := range map[string]int64{"read": c.Reads(), "write": c.Writes, "delete": c.Deletes, "ttl-delete": c.Expired} {
			o.counter(billedTotal, uint64(max(n, 0)), operation, pattern)
		}
	}
	report(allPatterns, u.All)
	for _, p := range u.Top {
		report(p.Pattern, p.Counts)
	}
}

// seconds returns a time as seconds since 1970, 0 for the zero time.
func seconds(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}

// calls reports the calls, and the attempts to sign in among them.
func (o output) calls(all []meter.MethodCounts) {
	for _, m := range all {
		for code, n := range m.Codes {
			o.counter(callsTotal, n, m.Transport, m.Method, code.String())
		}
		o.gauge(callsOpen, float64(m.Open), m.Transport, m.Method)
		if m.Took != nil {
			o.histogram(callDuration, *m.Took, m.Transport, m.Method)
		}
	}
	o.attempts(all)
}

// attempts reports the attempts to sign in.
func (o output) attempts(all []meter.MethodCounts) {
	sums := make(map[string]map[fault.Code]uint64)
	for _, name := range attempts {
		sums[name] = map[fault.Code]uint64{fault.OK: 0}
	}
	for _, m := range all {
		if name := attempts[m.Method]; name != "" && m.Transport == "auth" {
			for code, n := range m.Codes {
				sums[name][code] += n
			}
		}
	}
	for name, codes := range sums {
		for code, n := range codes {
			o.counter(attemptsTotal, n, name, code.String())
		}
	}
}

// counts reports all other counts.
func (o output) counts(a meter.All) {
	o.counter(commitsTotal, uint64(a.Commits))
	o.counter(writtenTotal, uint64(a.Writes))
	o.counter(readTotal, uint64(a.Reads))
	o.counter(queriesTotal, uint64(a.Queries))
	o.counter(deniedTotal, uint64(a.Denials))
	o.counter(signInsTotal, uint64(a.SignIns))
	for i, d := range a.Operations {
		o.histogram(operationDuration, d, meter.OperationNames[i])
	}
	o.histogram(groupSize, a.Groups)
	o.histogram(writeDuration, a.Syncs)
	o.histogram(fanoutDelay, a.Fanout)
	for i, decisions := range a.Decisions {
		for j, n := range decisions {
			o.counter(decisionsTotal, n, meter.RuleMethods[i], meter.DecisionNames[j])
		}
	}
	for i, results := range a.Checked {
		for j, n := range results {
			o.counter(checksTotal, n, meter.Products[i], meter.CheckedNames[j])
		}
	}
	for name, n := range a.Limits {
		o.counter(limitsTotal, n, name)
	}
}
