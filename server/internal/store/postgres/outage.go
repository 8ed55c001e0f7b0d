package postgres

import "time"

// outageInterval is the time between the lines of the log about a failure that lasts.
const outageInterval = time.Minute

// outage limits the lines of the log about a step that is repeated until it succeeds: the first failure is logged, and
// one each outageInterval while the failures last. Failures are not compared, because the texts of a driver's errors
// differ in details.
type outage struct {
	lasts bool
	// logged is the time of the last line.
	logged time.Time
}

// failed notes a failure and reports whether it is logged.
func (o *outage) failed(now time.Time) bool {
	if o.lasts && now.Sub(o.logged) < outageInterval {
		return false
	}
	o.lasts, o.logged = true, now
	return true
}

// ended notes a success: the next failure is logged.
func (o *outage) ended() { o.lasts = false }
