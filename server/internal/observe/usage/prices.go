package usage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"clave/server/internal/base/fault"
)

// Prices are what production charges at a date and a location.
type Prices struct {
	// Date is the day as of which the prices are known, as in 2026-11-01, and Location the location of the database.
	Date     string `json:"date"`
	Location string `json:"location"`
	// Currency is that of the prices, as in USD.
	Currency string `json:"currency"`
	// Per100000 are the prices of 100,000 operations.
	Per100000 struct {
		Reads      *float64 `json:"reads"`
		Writes     *float64 `json:"writes"`
		Deletes    *float64 `json:"deletes"`
		TTLDeletes *float64 `json:"ttlDeletes"`
	} `json:"per100000"`
	// SentPerGiB is the price of a GiB that is sent to clients; nil leaves it out.
	SentPerGiB *float64 `json:"sentPerGiB"`
	// StoredPerGiBMonth is the price of a GiB of documents and index entries that is stored for a month; nil leaves it
	// out.
	StoredPerGiBMonth *float64 `json:"storedPerGiBMonth"`
}

// maxPrice is the maximum of a price, so that the costs of any counts are numbers that JSON can have.
const maxPrice = 1e9

// pricesExample is a file of prices in an error.
const pricesExample = `{"date": "2026-11-01", "location": "nam5", "currency": "USD", ` +
	`"per100000": {"reads": 0.06, "writes": 0.18, "deletes": 0.02, "ttlDeletes": 0.02}, "sentPerGiB": 0.12, "storedPerGiBMonth": 0.18}`

// ParsePrices parses prices in JSON. All prices of operations must be given, so that none is forgotten.
func ParsePrices(text []byte) (p Prices, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return p, fault.Wrap(err, fault.InvalidArgument, "Prices are %s: %s.", pricesExample, err)
	}
	if d.More() {
		return p, fault.E(fault.InvalidArgument, "Prices are one JSON object; text follows it.")
	}
	if _, err := time.Parse(time.DateOnly, p.Date); err != nil {
		return p, fault.E(fault.InvalidArgument, "The date of prices is a day such as 2026-11-01, not %q.", p.Date)
	}
	if p.Currency == "" {
		return p, fault.E(fault.InvalidArgument, "The prices have no currency.")
	}
	for _, l := range append(p.lines(Counts{}), p.storage(Stored{})) {
		if l.price == nil && l.name != sentName && l.name != storedName {
			return p, fault.E(fault.InvalidArgument, "The price of %s is missing.", l.name)
		}
		if l.price != nil && (*l.price < 0 || *l.price > maxPrice) {
			return p, fault.E(fault.InvalidArgument, "The price of %s is %v; it must be between 0 and %.0f.", l.name, *l.price, maxPrice)
		}
	}
	return p, nil
}

// sentName and storedName are the names of the lines of bytes, of which unitGiB are one unit.
const (
	sentName   = "bytes sent"
	storedName = "bytes stored"
	unitGiB    = 1 << 30
)

// line is a line of a bill: a number of operations, and the price of a number of them.
type line struct {
	name  string
	n     int64
	unit  float64
	price *float64
}

// cost returns what the operations cost.
func (l line) cost() float64 {
	if l.price == nil {
		return 0
	}
	return float64(l.n) / l.unit * *l.price
}

// lines returns the lines of a bill for counts.
func (p *Prices) lines(c Counts) []line {
	const many = 100_000
	return []line{
		{"reads", c.Reads(), many, p.Per100000.Reads},
		{"writes", c.Writes, many, p.Per100000.Writes},
		{"deletes", c.Deletes, many, p.Per100000.Deletes},
		{"TTL deletes", c.Expired, many, p.Per100000.TTLDeletes},
		{sentName, c.Sent, unitGiB, p.SentPerGiB},
	}
}

// storage returns the line of what is stored for a month.
func (p *Prices) storage(s Stored) line {
	return line{storedName, s.Bytes(), unitGiB, p.StoredPerGiBMonth}
}

// Cost returns what counts cost.
func (p *Prices) Cost(c Counts) (sum float64) {
	for _, l := range p.lines(c) {
		sum += l.cost()
	}
	return sum
}

// runs is the number of times for which Print multiplies the costs of a command: those of one run are too small to
// read.
const runs = 1_000_000

// Print prints the costs of a report as a table, once and for a million runs, and its most expensive patterns.
func (p *Prices) Print(w io.Writer, r Report, most int) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "Prices of %s", p.Date)
	if p.Location != "" {
		fmt.Fprintf(t, ", %s", p.Location)
	}
	fmt.Fprintf(t, "\t\t%s\t%s for 1,000,000 runs\n", p.Currency, p.Currency)
	for _, l := range p.lines(r.Total.Counts) {
		if l.n > 0 && l.price != nil {
			fmt.Fprintf(t, "%s\t%d\t%.8f\t%.2f\n", l.name, l.n, l.cost(), runs*l.cost())
		}
	}
	sum := p.Cost(r.Total.Counts)
	fmt.Fprintf(t, "total\t\t%.8f\t%.2f\n", sum, runs*sum)
	for _, row := range r.Top(most) {
		fmt.Fprintf(t, "  of it %s\t\t%.8f\t%.2f\n", row.Pattern, p.Cost(row.Counts), runs*p.Cost(row.Counts))
	}
	if l := p.storage(r.storage()); l.n > 0 && l.price != nil {
		fmt.Fprintf(t, "%s, a month\t%d\t%.8f\t\n", l.name, l.n, l.cost())
	}
	return t.Flush()
}
