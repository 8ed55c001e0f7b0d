package pipeline

import (
	"math"
	"strings"
	"time"
	_ "time/tzdata" // images of servers may have no time zones

	"clave/server/internal/model/value"
)

// units are the units of time with their microseconds.
var units = map[string]int64{
	"microsecond": 1, "millisecond": 1e3, "second": 1e6, "minute": 60e6, "hour": 3600e6, "day": 86400e6,
}

// The range of timestamps in seconds: the years 1 to 9999.
const (
	firstSecond = -62135596800
	lastSecond  = 253402300799
)

// microseconds returns a timestamp as microseconds since the epoch.
func microseconds(t value.Timestamp) int64 { return t.Seconds*1e6 + int64(t.Nanos)/1e3 }

// floorDivide divides and rounds down.
func floorDivide(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// timestamp returns the timestamp of microseconds since the epoch.
func timestamp(name string, micros int64) result {
	seconds := floorDivide(micros, 1e6)
	if seconds < firstSecond || seconds > lastSecond {
		return failed("The function %s(...) is out of the range of timestamps.", name)
	}
	return of(value.Timestamp{Seconds: seconds, Nanos: int32(micros-seconds*1e6) * 1e3})
}

// shifted returns a function that adds an amount of units to a timestamp, with a sign.
func shifted(name string, sign int64) *Function {
	return &Function{Name: name, Args: "timestamp, unit, int64", Result: "timestamp", Source: "js", Min: 3, Max: 3, eval: func(_ *frame, args []value.Value) result {
		t, ok := args[0].(value.Timestamp)
		if !ok {
			return wrongType(name, "Timestamp", args[0])
		}
		unit, no := unitOf(name, args[1])
		if unit == 0 {
			return no
		}
		n, ok := args[2].(value.Int)
		if !ok {
			return wrongType(name, "Long", args[2])
		}
		by, ok := multiply(int64(n), unit*sign)
		if ok {
			by, ok = add(microseconds(t), by)
		}
		if !ok {
			return failed("The function %s(...) is out of the range of timestamps.", name)
		}
		return timestamp(name, by)
	}}
}

// unitOf returns the microseconds of a unit.
func unitOf(name string, v value.Value) (int64, result) {
	s, ok := v.(value.String)
	if !ok {
		return 0, wrongType(name, "String", v)
	}
	unit := units[strings.ToLower(string(s))]
	return unit, failed("The function %s(...) does not know the unit `%s`.", name, s)
}

// difference evaluates timestamp_diff.
func difference(_ *frame, args []value.Value) result {
	end, ok := args[0].(value.Timestamp)
	if !ok {
		return wrongType("timestamp_diff", "Timestamp", args[0])
	}
	start, ok := args[1].(value.Timestamp)
	if !ok {
		return wrongType("timestamp_diff", "Timestamp", args[1])
	}
	unit, no := unitOf("timestamp_diff", args[2])
	if unit == 0 {
		return no
	}
	return of(value.Int((microseconds(end) - microseconds(start)) / unit))
}

// zoned reads a timestamp, a word, and an optional time zone.
func zoned(r *run, name string, args []value.Value) (time.Time, string, result) {
	t, ok := args[0].(value.Timestamp)
	if !ok {
		return time.Time{}, "", wrongType(name, "Timestamp", args[0])
	}
	word, ok := args[1].(value.String)
	if !ok {
		return time.Time{}, "", wrongType(name, "String", args[1])
	}
	zone := time.UTC
	if len(args) == 3 {
		s, ok := args[2].(value.String)
		if !ok {
			return time.Time{}, "", wrongType(name, "String", args[2])
		}
		var err error
		if zone, ok, err = r.zone(string(s)); err != nil {
			return time.Time{}, "", aborted(err)
		}
		if !ok {
			return time.Time{}, "", failed("The function %s(...) does not know the time zone `%s`.", name, s)
		}
	}
	return t.Time().In(zone), strings.ToLower(string(word)), unset
}

// stepsOfZone are the steps of reading a time zone from the database.
const stepsOfZone = 64

// zone returns a time zone, as zoneOf does. It keeps those of the execution.
func (r *run) zone(name string) (*time.Location, bool, error) {
	if zone := r.zones[name]; zone != nil {
		return zone, true, nil
	}
	if err := r.step(stepsOfZone); err != nil {
		return nil, false, err
	}
	zone, ok := zoneOf(name)
	if ok && len(r.zones) < 100 {
		if r.zones == nil {
			r.zones = map[string]*time.Location{}
		}
		r.zones[name] = zone
	}
	return zone, ok, nil
}

// zoneOf returns a time zone: a name of the tz database, or an offset such as +02:00. It returns false for other texts.
func zoneOf(name string) (*time.Location, bool) {
	if name == "Local" || strings.ContainsAny(name, ".\\") || strings.HasPrefix(name, "/") {
		return nil, false
	}
	for _, form := range []string{"-07:00", "-07"} {
		if t, err := time.Parse(form, name); err == nil {
			_, offset := t.Zone()
			return time.FixedZone("", offset), true
		}
	}
	zone, err := time.LoadLocation(name)
	return zone, err == nil
}

// weekdays are the words of weeks that begin on another day than Sunday.
var weekdays = map[string]time.Weekday{
	"week": time.Sunday, "week(sunday)": time.Sunday, "week(monday)": time.Monday, "week(tuesday)": time.Tuesday, "week(wednesday)": time.Wednesday,
	"week(thursday)": time.Thursday, "week(friday)": time.Friday, "week(saturday)": time.Saturday,
}

// day returns the beginning of a day.
func day(year int, month time.Month, d int, in time.Time) time.Time {
	return time.Date(year, month, d, 0, 0, 0, 0, in.Location())
}

// isoYear returns the beginning of an ISO year, which begins on the Monday of the week with its fourth day.
func isoYear(year int, in time.Time) time.Time {
	fourth := day(year, time.January, 4, in)
	return day(year, time.January, 4-(int(fourth.Weekday())+6)%7, in)
}

// truncated evaluates timestamp_trunc.
func truncated(f *frame, args []value.Value) result {
	t, word, no := zoned(f.run, "timestamp_trunc", args)
	if no.fail != nil {
		return no
	}
	year, month, d := t.Date()
	var out time.Time
	switch word {
	case "microsecond":
		out = t.Truncate(time.Microsecond)
	case "millisecond", "second":
		size := map[string]time.Duration{"millisecond": time.Millisecond, "second": time.Second}[word]
		out = t.Add(-time.Duration(t.Nanosecond()) % size)
	case "minute":
		out = t.Add(-time.Duration(t.Second())*time.Second - time.Duration(t.Nanosecond()))
	case "hour":
		out = t.Add(-time.Duration(t.Minute())*time.Minute - time.Duration(t.Second())*time.Second - time.Duration(t.Nanosecond()))
	case "day":
		out = day(year, month, d, t)
	case "isoweek":
		out = day(year, month, d-(int(t.Weekday())+6)%7, t)
	case "month":
		out = day(year, month, 1, t)
	case "quarter":
		out = day(year, month-(month-1)%3, 1, t)
	case "year":
		out = day(year, time.January, 1, t)
	case "isoyear":
		y, _ := t.ISOWeek()
		out = isoYear(y, t)
	default:
		first, ok := weekdays[word]
		if !ok {
			return failed("The function timestamp_trunc(...) does not know the granularity `%s`.", word)
		}
		out = day(year, month, d-(int(t.Weekday()-first)+7)%7, t)
	}
	if s := out.Unix(); s < firstSecond || s > lastSecond {
		return failed("The function timestamp_trunc(...) is out of the range of timestamps.")
	}
	return of(value.TimestampOf(out))
}

// extracted evaluates timestamp_extract.
func extracted(f *frame, args []value.Value) result { // long: one case a part
	t, word, no := zoned(f.run, "timestamp_extract", args)
	if no.fail != nil {
		return no
	}
	isoYear, isoWeek := t.ISOWeek()
	var out int
	switch word {
	case "microsecond":
		out = t.Nanosecond() / 1e3
	case "millisecond":
		out = t.Nanosecond() / 1e6
	case "second":
		out = t.Second()
	case "minute":
		out = t.Minute()
	case "hour":
		out = t.Hour()
	case "day":
		out = t.Day()
	case "dayofweek":
		out = int(t.Weekday()) + 1
	case "dayofyear":
		out = t.YearDay()
	case "month":
		out = int(t.Month())
	case "quarter":
		out = (int(t.Month())-1)/3 + 1
	case "year":
		out = t.Year()
	case "isoweek":
		out = isoWeek
	case "isoyear":
		out = isoYear
	default:
		first, ok := weekdays[word]
		if !ok {
			return failed("The function timestamp_extract(...) does not know the part `%s`.", word)
		}
		out = (t.YearDay() + 6 - (int(t.Weekday()-first)+7)%7) / 7
	}
	return of(value.Int(out))
}

// toUnix returns a function that returns a timestamp as a number of units since the epoch, rounded down.
func toUnix(name string, unit int64) *Function {
	return &Function{Name: name, Args: "timestamp", Result: "int64", Source: "js", Min: 1, Max: 1, eval: func(_ *frame, args []value.Value) result {
		t, ok := args[0].(value.Timestamp)
		if !ok {
			return wrongType(name, "Timestamp", args[0])
		}
		return of(value.Int(floorDivide(microseconds(t), unit)))
	}}
}

// fromUnix returns a function that returns the timestamp of a number of units since the epoch.
func fromUnix(name string, unit int64) *Function {
	return &Function{Name: name, Args: "int64", Result: "timestamp", Source: "js", Min: 1, Max: 1, eval: func(_ *frame, args []value.Value) result {
		n, ok := args[0].(value.Int)
		if !ok {
			return wrongType(name, "Long", args[0])
		}
		micros, ok := multiply(int64(n), unit)
		if !ok {
			micros = math.MaxInt64
		}
		return timestamp(name, micros)
	}}
}

// timeFunctions are the functions of timestamps.
var timeFunctions = []*Function{
	shifted("timestamp_add", 1),
	shifted("timestamp_subtract", -1),
	{Name: "timestamp_diff", Args: "timestamp, timestamp, unit", Result: "int64", Source: "go", Min: 3, Max: 3, eval: difference},
	{Name: "timestamp_trunc", Args: "timestamp, granularity, zone?", Result: "timestamp", Source: "go", Min: 2, Max: 3, eval: truncated},
	{Name: "timestamp_extract", Args: "timestamp, part, zone?", Result: "int64", Source: "go", Min: 2, Max: 3, eval: extracted},
	toUnix("timestamp_to_unix_micros", 1),
	toUnix("timestamp_to_unix_millis", 1e3),
	toUnix("timestamp_to_unix_seconds", 1e6),
	fromUnix("unix_micros_to_timestamp", 1),
	fromUnix("unix_millis_to_timestamp", 1e3),
	fromUnix("unix_seconds_to_timestamp", 1e6),
}
