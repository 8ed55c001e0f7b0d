package firestoreadmin

import (
	"context"
	"strconv"
	"time"

	"clave/server/internal/admin/route"
	"clave/server/internal/base/fault"
	"clave/server/internal/store/backup/series"
)

// Plan says when backups are made and how long they are kept, by the flags of the server.
type Plan struct {
	// Every is the time between two backups; zero for none.
	Every time.Duration
	Keep  series.Keep
}

// retention returns the longest time for which a backup is kept; zero means that all are.
func (p *Plan) retention() time.Duration {
	const day = 24 * time.Hour
	return max(time.Duration(p.Keep.Days)*day, time.Duration(p.Keep.Weeks)*7*day, time.Duration(p.Keep.Months)*31*day)
}

// scheduleID is the id of the only schedule, that of the flags.
const scheduleID = "flags"

// scheduleJSON is a schedule of the API. One that is less often than daily has no recurrence.
type scheduleJSON struct {
	Name      string    `json:"name"`
	Retention string    `json:"retention,omitempty"`
	Daily     *struct{} `json:"dailyRecurrence,omitempty"`
}

// schedules returns the schedules of a database: that of the server, which is about all databases.
func (a *API) schedules(c *route.Call) ([]*scheduleJSON, error) {
	name, err := a.database(c)
	if err != nil || a.o.Plan.Every == 0 {
		return nil, err
	}
	of := &scheduleJSON{Name: name + "/backupSchedules/" + scheduleID}
	if kept := a.o.Plan.retention(); kept > 0 {
		of.Retention = strconv.FormatInt(int64(kept/time.Second), 10) + "s"
	}
	if a.o.Plan.Every <= 24*time.Hour {
		of.Daily = &struct{}{}
	}
	return []*scheduleJSON{of}, nil
}

// listSchedules returns the schedules of a database.
func (a *API) listSchedules(_ context.Context, c *route.Call) (any, error) {
	all, err := a.schedules(c)
	return struct {
		Schedules []*scheduleJSON `json:"backupSchedules,omitempty"`
	}{all}, err
}

// getSchedule returns a schedule.
func (a *API) getSchedule(_ context.Context, c *route.Call) (any, error) {
	all, err := a.schedules(c)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 || c.Vars["schedule"] != scheduleID {
		return nil, fault.E(fault.NotFound, "Backup schedule %s was not found.", c.Vars["schedule"])
	}
	return all[0], nil
}

// changeSchedule refuses changes of schedules.
func (a *API) changeSchedule(_ context.Context, c *route.Call) (any, error) {
	if _, err := a.database(c); err != nil {
		return nil, err
	}
	return nil, fault.E(fault.Unimplemented, "The flags --backup-to, --backup-every and --backup-keep of this server decide when backups are made and which are kept.")
}

// deleteBackup refuses to delete a backup.
func (a *API) deleteBackup(ctx context.Context, c *route.Call) (any, error) {
	if _, err := a.getBackup(ctx, c); err != nil {
		return nil, err
	}
	return nil, fault.E(fault.Unimplemented, "Backups are deleted by --backup-keep and by clave backups prune, so that no key of a service account can delete them.")
}
