package usage

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// Stored is what documents occupy as production bills their storage.
type Stored struct {
	Documents int64 `json:"documents"`
	// DocumentBytes is the size of the documents, and IndexBytes that of their index entries.
	DocumentBytes int64 `json:"documentBytes"`
	IndexBytes    int64 `json:"indexBytes"`
}

// Bytes returns the billed size.
func (s Stored) Bytes() int64 { return s.DocumentBytes + s.IndexBytes }

// add adds what others occupy.
func (s *Stored) add(o Stored) {
	s.Documents += o.Documents
	s.DocumentBytes += o.DocumentBytes
	s.IndexBytes += o.IndexBytes
}

// StoredPattern is what the documents of a pattern of collections occupy.
type StoredPattern struct {
	Pattern string `json:"pattern"`
	Stored
}

// Storage adds up what documents occupy. The zero value is ready.
type Storage struct {
	patterns map[string]*Stored
	pattern  []byte
}

// Add counts a document in the collection with a path. Collections beyond the limit of patterns are counted in Other.
func (s *Storage) Add(collection string, document, index int64) {
	s.pattern = appendPattern(s.pattern[:0], collection)
	of := s.patterns[string(s.pattern)]
	if of == nil {
		of = s.begin(string(s.pattern))
	}
	of.add(Stored{1, document, index})
}

// begin returns the sums of a pattern without documents so far.
func (s *Storage) begin(pattern string) *Stored {
	if s.patterns == nil {
		s.patterns = make(map[string]*Stored)
	}
	if len(s.patterns) >= maxPatterns {
		pattern = Other
	}
	of := s.patterns[pattern]
	if of == nil {
		of = &Stored{}
		s.patterns[pattern] = of
	}
	return of
}

// StorageReport is what the documents of databases occupy.
type StorageReport struct {
	Total Stored `json:"total"`
	// Patterns are sorted by bytes, the most first.
	Patterns []StoredPattern `json:"patterns"`
	// Partial is set if there are more documents than were counted.
	Partial bool `json:"partial,omitempty"`
}

// storage returns what the documents of a report occupy.
func (r Report) storage() Stored {
	if r.Stored == nil {
		return Stored{}
	}
	return r.Stored.Total
}

// Report returns what was counted.
func (s *Storage) Report() StorageReport {
	r := StorageReport{Patterns: []StoredPattern{}}
	for pattern, of := range s.patterns {
		r.Patterns = append(r.Patterns, StoredPattern{pattern, *of})
		r.Total.add(*of)
	}
	slices.SortFunc(r.Patterns, func(a, b StoredPattern) int {
		return cmp.Or(cmp.Compare(b.Bytes(), a.Bytes()), strings.Compare(a.Pattern, b.Pattern))
	})
	return r
}

// Print prints a report as a table with at most most patterns, and says what the others add up to.
func (r StorageReport) Print(w io.Writer, most int) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "stored documents\ttheir bytes\tof index entries\twhat")
	print := func(s Stored, what string) {
		fmt.Fprintf(t, "%d\t%d\t%d\t%s\n", s.Documents, s.DocumentBytes, s.IndexBytes, what)
	}
	shown := r.Patterns[:min(most, len(r.Patterns))]
	for _, p := range shown {
		print(p.Stored, p.Pattern)
	}
	if rest := r.Patterns[len(shown):]; len(rest) > 0 {
		var sum Stored
		for _, p := range rest {
			sum.add(p.Stored)
		}
		print(sum, fmt.Sprintf("%d more patterns", len(rest)))
	}
	what := "total"
	if r.Partial {
		what = "total of those that were counted; there are more"
	}
	print(r.Total, what)
	return t.Flush()
}
