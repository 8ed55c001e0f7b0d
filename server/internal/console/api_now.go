package console

import (
	"log/slog"

	"clave/server/internal/base/fault"
	"clave/server/internal/observe/meter"
)

// getNow returns the figures of the last hour.
func (c *Console) getNow(in *call) (any, error) {
	past, current := c.o.Meter.Samples(in.Context())
	return map[string]any{
		"started": timeText(c.o.Meter.Started()), "interval": int(meter.Interval.Seconds()), "samples": past, "current": current, "data": orNull(c.o.Data),
		"slow": c.o.Meter.SlowQueries(), "slowFrom": meter.Slow.Milliseconds(),
	}, nil
}

// orNull returns a text, or null for an empty one.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// getLogs returns the latest lines of the log.
func (c *Console) getLogs(in *call) (any, error) {
	level := slog.LevelInfo
	if text := in.query("level"); text != "" {
		if err := level.UnmarshalText([]byte(text)); err != nil {
			return nil, fault.E(fault.InvalidArgument, "level must be INFO, WARN or ERROR.")
		}
	}
	after, err := in.number("after", 0, 1<<53)
	if err != nil {
		return nil, err
	}
	lines, last := c.o.Logs.Read(int64(after), level, in.query("q"))
	return map[string]any{"lines": lines, "next": last}, nil
}
