package console

import (
	"log/slog"

	"clave/server/internal/base/fault"
	"clave/server/internal/observe/meter"
	"clave/server/internal/observe/usage"
)

// topPatterns is the number of patterns of collections whose usage is shown.
const topPatterns = 10

// usageJSON is what production would bill for the calls of all projects, without those of the console, and the patterns
// of collections with the most reads.
type usageJSON struct {
	Since  string          `json:"since"`
	Total  pricedTotal     `json:"total"`
	Top    []pricedPattern `json:"top"`
	Prices *pricesJSON     `json:"prices"`
}

// pricesJSON describes the prices from which costs are computed, with their date.
type pricesJSON struct {
	Date     string `json:"date"`
	Location string `json:"location"`
	Currency string `json:"currency"`
}

// pricedTotal is the sum of all with what it costs, nil without prices.
type pricedTotal struct {
	usage.Total
	Cost *float64 `json:"cost"`
}

// pricedPattern is a pattern of collections with what it costs, nil without prices.
type pricedPattern struct {
	usage.PatternCounts
	Cost *float64 `json:"cost"`
}

// billed returns the usage, or nil if it is not counted.
func (c *Console) billed() *usageJSON {
	if c.o.Usage == nil {
		return nil
	}
	r, cost := c.o.Usage.Report(""), func(usage.Counts) *float64 { return nil }
	out := &usageJSON{Since: timeText(r.Since), Top: []pricedPattern{}}
	if p := c.o.Prices; p != nil {
		out.Prices = &pricesJSON{p.Date, p.Location, p.Currency}
		cost = func(of usage.Counts) *float64 { return new(p.Cost(of)) }
	}
	out.Total = pricedTotal{r.Total, cost(r.Total.Counts)}
	for _, top := range r.Top(topPatterns) {
		out.Top = append(out.Top, pricedPattern{top, cost(top.Counts)})
	}
	return out
}

// getNow returns the figures of the last hour.
func (c *Console) getNow(in *call) (any, error) {
	past, current := c.o.Meter.Samples(in.Context())
	return map[string]any{
		"started": timeText(c.o.Meter.Started()), "interval": int(meter.Interval.Seconds()), "samples": past, "current": current, "data": orNull(c.o.Data),
		"slow": c.o.Meter.SlowQueries(), "slowFrom": meter.Slow.Milliseconds(), "usage": c.billed(),
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
