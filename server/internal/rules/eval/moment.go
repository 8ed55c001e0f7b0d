package eval

import (
	"math"
	"math/big"
	"time"

	"clave/server/internal/model/value"
)

// The ends of time.
const (
	minSeconds  = -62135596800
	maxSeconds  = 253402300799
	maxDuration = 315576000000
	billion     = 1_000_000_000
)

// makeTimestamp returns the timestamp for seconds and nanoseconds since 1970, or a failure if it is out of range.
func makeTimestamp(seconds, nanos int64) Value {
	seconds += nanos / billion
	nanos %= billion
	if nanos < 0 {
		nanos += billion
		seconds--
	}
	if seconds < minSeconds || seconds > maxSeconds {
		return badTimestamp()
	}
	return value.Timestamp{Seconds: seconds, Nanos: int32(nanos)}
}

// badTimestamp is the failure of a timestamp that is out of range.
func badTimestamp() *Failure {
	return failf("Timestamp is not valid. Seconds must be in range [-62,135,596,800, +253,402,300,799]. " +
		"Nanos must be in range [0, +999,999,999].")
}

// makeDuration returns a duration whose parts have the same sign, or a failure if it is out of range.
func makeDuration(seconds, nanos int64) Value {
	seconds += nanos / billion
	nanos %= billion
	if seconds > 0 && nanos < 0 {
		seconds--
		nanos += billion
	} else if seconds < 0 && nanos > 0 {
		seconds++
		nanos -= billion
	}
	if seconds < -maxDuration || seconds > maxDuration {
		return badDuration()
	}
	return Duration{Seconds: seconds, Nanos: int32(nanos)}
}

// badDuration is the failure of a duration that is out of range.
func badDuration() *Failure {
	return failf("Duration is not valid. Seconds must be in range [-315,576,000,000, +315,576,000,000]. " +
		"Nanos must be in range [-999,999,999, +999,999,999]. Nanos must have the same sign as seconds.")
}

// timestampDate is timestamp.date(year, month, day).
func timestampDate(args []Value) Value {
	y, m, d := args[0].(value.Int), args[1].(value.Int), args[2].(value.Int)
	if y < 1 || y > 9999 {
		return failf("Timestamp should be between 0001-01-01T00.00.00Z and 9999-12-31T23.59.59Z. year: %d.", y)
	}
	if m < 1 || m > 12 || d < 1 || d > 31 {
		return failf("Date is not valid. year: %d, month: %d day: %d.", y, m, d)
	}
	t := time.Date(int(y), time.Month(m), int(d), 0, 0, 0, 0, time.UTC)
	if t.Day() != int(d) {
		return failf("Date is not valid. year: %d, month: %d day: %d.", y, m, d)
	}
	return value.Timestamp{Seconds: t.Unix()}
}

// timestampValue is timestamp.value(milliseconds).
func timestampValue(args []Value) Value {
	ms := int64(args[0].(value.Int))
	return makeTimestamp(ms/1000, ms%1000*1_000_000)
}

// timestampParsed is timestamp.value(text in the form of RFC 3339).
func timestampParsed(args []Value) Value {
	t, err := time.Parse(time.RFC3339Nano, string(args[0].(value.String)))
	if err != nil {
		return badTimestamp()
	}
	return makeTimestamp(t.Unix(), int64(t.Nanosecond()))
}

// units are the units of duration.value, in nanoseconds.
var units = map[string]int64{
	"w": 604800 * billion, "d": 86400 * billion, "h": 3600 * billion, "m": 60 * billion, "s": billion,
	"ms": 1_000_000, "ns": 1,
}

// durationValue is duration.value(n, unit).
func durationValue(args []Value) Value {
	n, unit := int64(args[0].(value.Int)), string(args[1].(value.String))
	size, ok := units[unit]
	if !ok {
		return failf("Invalid regular expression pattern. Pattern: %s.", unit)
	}
	total := new(big.Int).Mul(big.NewInt(n), big.NewInt(size))
	return durationOf(total)
}

// durationOf returns the duration of that many nanoseconds.
func durationOf(total *big.Int) Value {
	seconds, nanos := new(big.Int).QuoRem(total, big.NewInt(billion), new(big.Int))
	if !seconds.IsInt64() {
		return badDuration()
	}
	return makeDuration(seconds.Int64(), nanos.Int64())
}

// durationTime is duration.time(hours, minutes, seconds, nanos).
func durationTime(args []Value) Value {
	total := new(big.Int)
	for i, size := range [...]int64{3600 * billion, 60 * billion, billion, 1} {
		n := big.NewInt(int64(args[i].(value.Int)))
		total.Add(total, n.Mul(n, big.NewInt(size)))
	}
	return durationOf(total)
}

// durationAbs is duration.abs(d).
func durationAbs(args []Value) Value {
	d := args[0].(Duration)
	if d.Seconds < 0 || d.Nanos < 0 {
		return Duration{Seconds: -d.Seconds, Nanos: -d.Nanos}
	}
	return d
}

// addTimes is a + b for durations, or a duration and a timestamp, and a failure for other types.
func addTimes(a, b Value) Value {
	switch x := a.(type) {
	case Duration:
		switch y := b.(type) {
		case Duration:
			return makeDuration(x.Seconds+y.Seconds, int64(x.Nanos)+int64(y.Nanos))
		case value.Timestamp:
			return makeTimestamp(y.Seconds+x.Seconds, int64(y.Nanos)+int64(x.Nanos))
		}
	case value.Timestamp:
		if y, ok := b.(Duration); ok {
			return makeTimestamp(x.Seconds+y.Seconds, int64(x.Nanos)+int64(y.Nanos))
		}
	}
	return unsupported(TypeName(a)+" + "+TypeName(b), "int + int, float + float, string + string, duration + duration, "+
		"duration + timestamp, timestamp + duration")
}

// subtractTimes is a - b for durations and timestamps, and a failure for other types.
func subtractTimes(a, b Value) Value {
	switch x := a.(type) {
	case Duration:
		if y, ok := b.(Duration); ok {
			return makeDuration(x.Seconds-y.Seconds, int64(x.Nanos)-int64(y.Nanos))
		}
	case value.Timestamp:
		switch y := b.(type) {
		case Duration:
			return makeTimestamp(x.Seconds-y.Seconds, int64(x.Nanos)-int64(y.Nanos))
		case value.Timestamp:
			return makeDuration(x.Seconds-y.Seconds, int64(x.Nanos)-int64(y.Nanos))
		}
	}
	return unsupported(TypeName(a)+" - "+TypeName(b), "int - int, float - float, duration - duration, "+
		"timestamp - duration, timestamp - timestamp")
}

// timestampMethods are the methods of timestamps.
var timestampMethods = map[string]builtin{
	"year":      {types("int"), part(func(t time.Time) int64 { return int64(t.Year()) })},
	"month":     {types("int"), part(func(t time.Time) int64 { return int64(t.Month()) })},
	"day":       {types("int"), part(func(t time.Time) int64 { return int64(t.Day()) })},
	"hours":     {types("int"), part(func(t time.Time) int64 { return int64(t.Hour()) })},
	"minutes":   {types("int"), part(func(t time.Time) int64 { return int64(t.Minute()) })},
	"seconds":   {types("int"), part(func(t time.Time) int64 { return int64(t.Second()) })},
	"nanos":     {types("int"), part(func(t time.Time) int64 { return int64(t.Nanosecond()) })},
	"dayOfWeek": {types("int"), part(func(t time.Time) int64 { return int64(t.Weekday()+6)%7 + 1 })}, // Monday is 1
	"dayOfYear": {types("int"), part(func(t time.Time) int64 { return int64(t.YearDay()) })},
	"toMillis":  {types("int"), part(time.Time.UnixMilli)},
	"date":      {types("timestamp"), overloads{{nil, func(args []Value) Value { return midnight(args[0].(value.Timestamp)) }}}},
	"time":      {types("duration"), overloads{{nil, func(args []Value) Value { return sinceMidnight(args[0].(value.Timestamp)) }}}},
}

// part creates a method that returns a part of a moment.
func part(of func(time.Time) int64) overloads {
	return overloads{{nil, func(args []Value) Value { return value.Int(of(args[0].(value.Timestamp).Time())) }}}
}

// midnight returns the beginning of a moment's day.
func midnight(t value.Timestamp) value.Timestamp {
	day := t.Seconds % 86400
	if day < 0 {
		day += 86400
	}
	return value.Timestamp{Seconds: t.Seconds - day}
}

// sinceMidnight returns the time of the day.
func sinceMidnight(t value.Timestamp) Value {
	return Duration{Seconds: t.Seconds - midnight(t).Seconds, Nanos: t.Nanos}
}

// durationMethods are the methods of durations.
var durationMethods = map[string]builtin{
	"seconds": {types("int"), overloads{{nil, func(args []Value) Value { return value.Int(args[0].(Duration).Seconds) }}}},
	"nanos":   {types("int"), overloads{{nil, func(args []Value) Value { return value.Int(args[0].(Duration).Nanos) }}}},
}

// latlngValue is latlng.value(latitude, longitude).
func latlngValue(args []Value) Value {
	lat, lng := toFloat(args[0]), toFloat(args[1])
	if !(lat >= -90 && lat <= 90 && lng >= -180 && lng <= 180) {
		return failf("Latitude should be in [-90,90] range and longitude should be in [-180,180] range. latitude: %s, longitude: %s.",
			formatFloat(lat), formatFloat(lng))
	}
	return value.GeoPoint{Lat: lat, Lng: lng}
}

// latlngMethods are the methods of places.
var latlngMethods = map[string]builtin{
	"latitude":  {types("float"), overloads{{nil, func(args []Value) Value { return value.Double(args[0].(value.GeoPoint).Lat) }}}},
	"longitude": {types("float"), overloads{{nil, func(args []Value) Value { return value.Double(args[0].(value.GeoPoint).Lng) }}}},
	"distance":  {types("float"), overloads{{types("latlng"), distance}}},
}

// earthRadius is the mean radius of the earth in metres, with the value of the official engine.
const earthRadius = 6371009

// distance is a.distance(b), in metres along a great circle.
func distance(args []Value) Value {
	a, b := args[0].(value.GeoPoint), args[1].(value.GeoPoint)
	lat1, lat2 := radians(a.Lat), radians(b.Lat)
	x := math.Sin((lat2 - lat1) / 2)
	y := math.Sin(radians(b.Lng-a.Lng) / 2)
	h := x*x + y*y*math.Cos(lat1)*math.Cos(lat2)
	return value.Double(2 * earthRadius * math.Asin(math.Sqrt(math.Min(1, h))))
}

// radians turns degrees to radians.
func radians(degrees float64) float64 { return degrees * math.Pi / 180 }
