package firestoreadmin

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"clave/server/internal/admin/route"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/randid"
	"clave/server/internal/store/backup/schedule"
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

// scheduleID is the id of the schedule of the flags, which each database has, and which only the operator changes.
const scheduleID = "flags"

// maxRetention is the maximum time for which a schedule keeps a backup: 14 weeks, as at Google.
const maxRetention = 14 * 7 * 24 * time.Hour

// scheduleJSON is a schedule of the API. That of the flags has no recurrence if it is less often than daily.
type scheduleJSON struct {
	Name       string      `json:"name,omitempty"`
	CreateTime *time.Time  `json:"createTime,omitempty"`
	UpdateTime *time.Time  `json:"updateTime,omitempty"`
	Retention  string      `json:"retention,omitempty"`
	Daily      *struct{}   `json:"dailyRecurrence,omitempty"`
	Weekly     *weeklyJSON `json:"weeklyRecurrence,omitempty"`
}

// weeklyJSON is a day of the week, such as MONDAY.
type weeklyJSON struct {
	Day string `json:"day,omitempty"`
}

// weekday returns a day of the week by its name in the API.
func weekday(name string) (time.Weekday, bool) {
	for d := range time.Weekday(7) {
		if strings.ToUpper(d.String()) == name {
			return d, true
		}
	}
	return 0, false
}

// shownRetention returns a Duration of the API.
func shownRetention(d time.Duration) string {
	return strconv.FormatInt(int64(d/time.Second), 10) + "s"
}

// shownSchedule returns a schedule of a database as the API shows it.
func shownSchedule(database string, p schedule.Planned) *scheduleJSON {
	out := &scheduleJSON{Name: database + "/backupSchedules/" + p.ID, CreateTime: &p.Created, UpdateTime: &p.Updated, Retention: shownRetention(p.Daily.For)}
	if p.Daily.Weekly {
		out.Weekly = &weeklyJSON{strings.ToUpper(p.Daily.Day.String())}
	} else {
		out.Daily = &struct{}{}
	}
	return out
}

// schedules returns the schedules of a database: that of the flags, and its own ones.
func (a *API) schedules(c *route.Call) ([]*scheduleJSON, error) {
	name, err := a.database(c)
	if err != nil || a.o.Plan.Every == 0 {
		return nil, err
	}
	of := &scheduleJSON{Name: name + "/backupSchedules/" + scheduleID}
	if kept := a.o.Plan.retention(); kept > 0 {
		of.Retention = shownRetention(kept)
	}
	if a.o.Plan.Every <= 24*time.Hour {
		of.Daily = &struct{}{}
	}
	all := []*scheduleJSON{of}
	if a.o.Schedules != nil {
		for _, p := range a.o.Schedules.All() {
			if p.Database == c.Vars["database"] {
				all = append(all, shownSchedule(name, p))
			}
		}
	}
	return all, nil
}

// listSchedules returns the schedules of a database.
func (a *API) listSchedules(_ context.Context, c *route.Call) (any, error) {
	all, err := a.schedules(c)
	return struct {
		Schedules []*scheduleJSON `json:"backupSchedules,omitempty"`
	}{all}, err
}

// errNoSchedule returns the error for an unknown schedule.
func errNoSchedule(c *route.Call) error {
	return fault.E(fault.NotFound, "Backup schedule %s was not found.", c.Vars["schedule"])
}

// getSchedule returns a schedule.
func (a *API) getSchedule(_ context.Context, c *route.Call) (any, error) {
	all, err := a.schedules(c)
	if err != nil {
		return nil, err
	}
	for _, one := range all {
		if strings.HasSuffix(one.Name, "/backupSchedules/"+c.Vars["schedule"]) {
			return one, nil
		}
	}
	return nil, errNoSchedule(c)
}

// readSchedule reads the body of a change of schedules of a database.
func (a *API) readSchedule(c *route.Call) (name string, in *scheduleJSON, err error) {
	if name, err = a.database(c); err != nil {
		return "", nil, err
	}
	in = &scheduleJSON{}
	if err := c.Decode(in); err != nil {
		return "", nil, err
	}
	if a.o.Schedules == nil {
		return "", nil, fault.E(fault.FailedPrecondition, "This server makes no backups: start it with --backup-to.")
	}
	return name, in, nil
}

// retentionOf returns the retention of a schedule of a request.
func (in *scheduleJSON) retentionOf() (time.Duration, error) {
	n, ok := route.Seconds(in.Retention)
	switch {
	case in.Retention == "":
		return 0, fault.E(fault.InvalidArgument, "The retention of the backup schedule is missing.")
	case !ok || !(n >= 1): // also for NaN
		return 0, fault.E(fault.InvalidArgument, "Invalid value at 'backup_schedule.retention': expected a time of at least a second, such as 604800s.")
	case n > maxRetention.Seconds():
		return 0, fault.E(fault.InvalidArgument, "The retention of a backup schedule is at most 14 weeks, %s.", shownRetention(maxRetention))
	}
	return time.Duration(n) * time.Second, nil
}

// dailyOf returns when backups are made and kept by a schedule of a request.
func (in *scheduleJSON) dailyOf() (out series.Daily, err error) {
	if out.For, err = in.retentionOf(); err != nil {
		return out, err
	}
	if (in.Daily == nil) == (in.Weekly == nil) {
		return out, fault.E(fault.InvalidArgument, "A backup schedule has either a daily_recurrence or a weekly_recurrence.")
	}
	if in.Weekly == nil {
		return out, nil
	}
	out.Weekly = true
	day, ok := weekday(in.Weekly.Day)
	if out.Day = day; !ok {
		return out, fault.E(fault.InvalidArgument, "Invalid value at 'backup_schedule.weekly_recurrence.day': expected a day such as MONDAY.")
	}
	return out, nil
}

// createSchedule adds a schedule to a database, which has at most a daily and a weekly one besides that of the flags.
func (a *API) createSchedule(ctx context.Context, c *route.Call) (any, error) {
	name, in, err := a.readSchedule(c)
	if err != nil {
		return nil, err
	}
	when, err := in.dailyOf()
	if err != nil {
		return nil, err
	}
	now := a.o.Clock.Now().UTC()
	made := schedule.Planned{ID: randid.New(20), Database: c.Vars["database"], Created: now, Updated: now, Daily: when}
	err = a.o.Schedules.Change(ctx, func(all []schedule.Planned) ([]schedule.Planned, error) {
		for _, p := range all {
			if p.Database == made.Database && p.Daily.Weekly == when.Weekly {
				return nil, fault.E(fault.AlreadyExists, "The database has a %s backup schedule already. Update or delete it.", map[bool]string{false: "daily", true: "weekly"}[when.Weekly])
			}
		}
		return append(slices.Clone(all), made), nil
	})
	if err != nil {
		return nil, err
	}
	return shownSchedule(name, made), nil
}

// errFlags is the error for changes of the schedule of the flags.
var errFlags = fault.E(fault.FailedPrecondition, "This backup schedule is that of the flags --backup-every and --backup-keep of the server, which its operator changes. Create another one beside it.")

// ownSchedule returns the place of the schedule of a call among those of all databases.
func ownSchedule(c *route.Call, all []schedule.Planned) (int, error) {
	i := slices.IndexFunc(all, func(p schedule.Planned) bool { return p.Database == c.Vars["database"] && p.ID == c.Vars["schedule"] })
	switch {
	case c.Vars["schedule"] == scheduleID:
		return 0, errFlags
	case i < 0:
		return 0, errNoSchedule(c)
	}
	return i, nil
}

// updateSchedule changes the retention of a schedule. Its recurrence can't change, as at Google.
func (a *API) updateSchedule(ctx context.Context, c *route.Call) (any, error) {
	name, in, err := a.readSchedule(c)
	if err != nil {
		return nil, err
	}
	if mask := c.Query.Get("updateMask"); mask != "" && mask != "retention" {
		return nil, fault.E(fault.InvalidArgument, "Only the retention of a backup schedule can be updated.")
	}
	var changed schedule.Planned
	err = a.o.Schedules.Change(ctx, func(all []schedule.Planned) ([]schedule.Planned, error) {
		i, err := ownSchedule(c, all)
		if err != nil {
			return nil, err
		}
		kept, err := in.retentionOf()
		if err != nil {
			return nil, err
		}
		before := all[i].Daily
		if in.Daily != nil && before.Weekly || in.Weekly != nil && (!before.Weekly || in.Weekly.Day != strings.ToUpper(before.Day.String())) {
			return nil, fault.E(fault.InvalidArgument, "Only the retention of a backup schedule can be updated.")
		}
		all = slices.Clone(all)
		all[i].Daily.For, all[i].Updated = kept, a.o.Clock.Now().UTC()
		changed = all[i]
		return all, nil
	})
	if err != nil {
		return nil, err
	}
	return shownSchedule(name, changed), nil
}

// deleteSchedule removes a schedule. The backups that only it has kept are removed after the next backup.
func (a *API) deleteSchedule(ctx context.Context, c *route.Call) (any, error) {
	if _, _, err := a.readSchedule(c); err != nil {
		return nil, err
	}
	return nil, a.o.Schedules.Change(ctx, func(all []schedule.Planned) ([]schedule.Planned, error) {
		i, err := ownSchedule(c, all)
		if err != nil {
			return nil, err
		}
		return slices.Delete(slices.Clone(all), i, i+1), nil
	})
}

// forgetSchedules removes the schedules of a database that was deleted.
func (a *API) forgetSchedules(ctx context.Context, id string) error {
	has := func(p schedule.Planned) bool { return p.Database == id }
	if a.o.Schedules == nil || !slices.ContainsFunc(a.o.Schedules.All(), has) {
		return nil
	}
	return a.o.Schedules.Change(ctx, func(all []schedule.Planned) ([]schedule.Planned, error) {
		return slices.DeleteFunc(slices.Clone(all), has), nil
	})
}

// deleteBackup refuses to delete a backup.
func (a *API) deleteBackup(ctx context.Context, c *route.Call) (any, error) {
	if _, err := a.getBackup(ctx, c); err != nil {
		return nil, err
	}
	return nil, fault.E(fault.Unimplemented, "Backups are deleted by --backup-keep and by clave backups prune, so that no key of a service account can delete them.")
}
