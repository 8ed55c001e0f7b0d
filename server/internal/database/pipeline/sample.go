package pipeline

import (
	"math/rand/v2"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
)

// sampled is the sink of sample for a number of rows: each row has the same chance.
type sampled struct {
	sink
	run  *run
	size int
	seen int
	kept []*row
	held int64
}

// row implements sink.
func (s *sampled) row(r *row) error {
	s.seen++
	at, size := len(s.kept), int64(r.size())
	if at < s.size {
		s.kept = append(s.kept, r)
	} else if at = rand.IntN(s.seen); at < s.size { //nolint:gosec // not a secret
		size -= int64(s.kept[at].size())
		s.kept[at] = r
	} else {
		return nil
	}
	s.held += size
	if err := s.run.step(r.size() / measured); err != nil {
		return err
	}
	return s.run.hold(size)
}

// end implements sink.
func (s *sampled) end() error {
	rows := s.kept
	s.kept = nil
	return s.run.giveAll(rows, s.held, s.sink)
}

// sample compiles sample: a number of rows, or a part of them.
func (c *compiler) sample(s *request.Stage) (stage, error) {
	if len(s.Args) != 2 {
		return nil, wrongCount(s, 2)
	}
	mode, _ := constantOf[value.String](s.Args[1])
	size, _ := s.Args[0].(request.Constant)
	switch n, isInt := size.Value.(value.Int); {
	case mode == "documents" && isInt && n >= 0:
		return func(f *frame, next sink) sink {
			return &sampled{sink: next, run: f.run, size: int(min(n, 1<<31))}
		}, nil
	case mode == "percent":
		part, ok := value.Float(size.Value)
		if ok && part >= 0 && part <= 1 {
			return eachRow(func(f *frame, next sink) error {
				if rand.Float64() >= part { //nolint:gosec // not a secret
					return nil
				}
				return next.row(f.row)
			}), nil
		}
	}
	return nil, fault.E(fault.InvalidArgument, "The stage sample requires a number of documents, or a part of them from 0 to 1 and `percent`.")
}
