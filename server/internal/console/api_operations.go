package console

import (
	"context"
	"slices"

	"clave/server/internal/base/fault"
	"clave/server/internal/events"
	"clave/server/internal/store/backup/schedule"
	"clave/server/internal/store/backup/series"
)

// Deliveries are the deliveries of events to services, such as *events.Service.
type Deliveries interface {
	// Status returns the state of all triggers.
	Status(ctx context.Context) ([]events.Status, error)
	// Retry lets the dead letters of a trigger be delivered again, and what waits for a retry; an empty name means all
	// triggers.
	Retry(ctx context.Context, trigger string) (int, error)
}

// Backups are the scheduled backups, such as *schedule.Schedule.
type Backups interface {
	// Status returns their state.
	Status() schedule.Status
	// Kept returns the backups, from the oldest to the newest, and the last trial restore.
	Kept(ctx context.Context) ([]series.Backup, series.Proof, error)
}

// triggerJSON is a trigger with its state. Versions are left out: they are numbers of the store.
type triggerJSON struct {
	Name      string          `json:"name"`
	Database  string          `json:"database"`
	Target    string          `json:"target"`
	Delivered uint64          `json:"delivered"`
	Pending   int             `json:"pending"`
	Waiting   int             `json:"waiting"`
	Dead      int             `json:"dead"`
	Lost      uint64          `json:"lost"`
	Letters   []events.Letter `json:"letters"`
	Error     string          `json:"error,omitempty"`
	ErrorAt   string          `json:"errorAt,omitempty"`
}

// getEvents returns the triggers, and the first dead letters of each.
func (c *Console) getEvents(in *call) (any, error) {
	if c.o.Deliveries == nil {
		return nil, noDeliveries()
	}
	all, err := c.o.Deliveries.Status(in.Context())
	if err != nil {
		return nil, err
	}
	out := []triggerJSON{}
	for _, s := range all {
		one := triggerJSON{
			Name: s.Name, Database: s.Database, Target: s.Target, Delivered: s.Delivered, Pending: s.Pending, Waiting: s.Waiting, Dead: s.Dead, Lost: s.Lost,
			Letters: s.Letters, Error: s.Error,
		}
		if one.Letters == nil {
			one.Letters = []events.Letter{}
		}
		if !s.ErrorAt.IsZero() {
			one.ErrorAt = timeText(s.ErrorAt)
		}
		out = append(out, one)
	}
	return map[string]any{"triggers": out}, nil
}

// postEventsRetry delivers the dead letters of a trigger again.
func (c *Console) postEventsRetry(in *call) (any, error) {
	if c.o.Deliveries == nil {
		return nil, noDeliveries()
	}
	var body struct {
		Trigger string `json:"trigger"`
	}
	if err := in.decode(&body); err != nil {
		return nil, err
	}
	if body.Trigger == "" {
		return nil, fault.E(fault.InvalidArgument, "trigger must name a trigger.")
	}
	ended, err := in.change(c.o.Project, "retry events", body.Trigger)
	if err != nil {
		return nil, err
	}
	n, err := c.o.Deliveries.Retry(in.Context(), body.Trigger)
	ended(err)
	if err != nil {
		return nil, err
	}
	return map[string]int{"retried": n}, nil
}

// noDeliveries is the error of a server that delivers no events.
func noDeliveries() error {
	return fault.E(fault.FailedPrecondition, "The server delivers no events. Name their file with --events.")
}

// backupJSON is a backup.
type backupJSON struct {
	Name   string `json:"name"`
	Time   string `json:"time"`
	Bytes  int64  `json:"bytes"`
	Damage string `json:"damage,omitempty"`
	// Proved is set if this backup is the one that was restored for trial last.
	Proved bool `json:"proved"`
}

// backupsJSON is the answer of GET /api/backups. Times that are not known yet are absent.
type backupsJSON struct {
	Place    string       `json:"place"`
	EverySec int64        `json:"everySec"`
	ProveSec int64        `json:"proveSec"`
	Proof    *proofJSON   `json:"proof,omitempty"`
	Failures uint64       `json:"failures"`
	Unproved uint64       `json:"unproved"`
	Failure  string       `json:"failure,omitempty"`
	Backups  []backupJSON `json:"backups"`
	Count    int          `json:"count"`
	Log      *logJSON     `json:"log,omitempty"`
}

// proofJSON is a trial restore.
type proofJSON struct {
	// Backup and Time are empty if no trial restore has succeeded yet.
	Backup string `json:"backup"`
	Time   string `json:"time"`
	// Second is the second of the log whose state was restored too; absent if there is none.
	Second string `json:"second,omitempty"`
	// Failed is the last trial restore, if it failed.
	Failed *failedProofJSON `json:"failed,omitempty"`
}

// failedProofJSON is a trial restore that has failed.
type failedProofJSON struct {
	Backup string `json:"backup"`
	Time   string `json:"time"`
	Second string `json:"second,omitempty"`
	Reason string `json:"reason"`
}

// proofOf returns the last trial restores; nil if there was none.
func proofOf(p series.Proof) *proofJSON {
	if p.Time.IsZero() && p.Failed == nil {
		return nil
	}
	out := &proofJSON{Backup: p.Backup, Time: optionalTime(p.Time), Second: optionalTime(p.Second)}
	if f := p.Failed; f != nil {
		out.Failed = &failedProofJSON{Backup: f.Backup, Time: optionalTime(f.Time), Second: optionalTime(f.Second), Reason: f.Reason}
	}
	return out
}

// logJSON is the state of the log that is shipped between backups.
type logJSON struct {
	// Shipped is the time up to which everything is shipped; absent if nothing was shipped since the start.
	Shipped string `json:"shipped,omitempty"`
	// Waiting is the number of bytes that are not shipped yet.
	Waiting  int64  `json:"waiting"`
	Failures uint64 `json:"failures"`
	Gaps     uint64 `json:"gaps"`
	Failure  string `json:"failure,omitempty"`
}

// mostBackups is the maximum number of backups in a response, the newest ones.
const mostBackups = 200

// getBackups returns the state of the scheduled backups, and the backups themselves, the newest first.
func (c *Console) getBackups(in *call) (any, error) {
	if c.o.Backups == nil {
		return nil, fault.E(fault.FailedPrecondition, "The server makes no backups. Name their folder with --backup-to.")
	}
	s := c.o.Backups.Status()
	all, proof, err := c.o.Backups.Kept(in.Context())
	if err != nil {
		return nil, err
	}
	out := backupsJSON{
		Place: s.Place, EverySec: int64(s.Every.Seconds()), ProveSec: int64(s.ProveEvery.Seconds()), Failures: s.Failures, Unproved: s.Unproved, Failure: s.Failure,
		Backups: []backupJSON{}, Count: len(all),
	}
	if log := s.Log; log != nil {
		out.Log = &logJSON{Waiting: log.Waiting, Failures: log.Failures, Gaps: log.Gaps, Failure: log.Failure}
		out.Log.Shipped = optionalTime(log.Until)
	}
	out.Proof = proofOf(proof)
	slices.Reverse(all)
	for _, b := range all[:min(len(all), mostBackups)] {
		out.Backups = append(out.Backups, backupJSON{Name: b.Name, Time: timeText(b.Time), Bytes: b.Bytes, Damage: b.Damage, Proved: b.Name == proof.Backup})
	}
	return out, nil
}
