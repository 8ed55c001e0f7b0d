package pipeline

import (
	"slices"

	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
)

// guard gives rules the filters that follow from all conditions before the first stage that changes fields or depends
// on other rows, and not only those of the query of the source. The rules of production recognize the same, however the
// query is planned. pushed is the number of stages that the query has.
func (c *compiler) guard(s *source, stages []request.Stage, pushed int) {
	var all []query.Filter
	more := false
	for i := range stages {
		if name := stages[i].Name; name != "where" && name != "sort" && name != "let" {
			break
		} else if name != "where" || len(stages[i].Args) != 1 {
			continue
		}
		more = more || i >= pushed
		for _, f := range c.implied(stages[i].Args[0]) {
			if with := append(slices.Clone(all), f); complete(with) {
				all = with
			}
		}
	}
	if !more || len(all) == 0 {
		return
	}
	// A query of all collections has no filter, because no index serves it. One that is not run may have any.
	one := query.Query{DB: s.listed.DB, From: []query.From{{Collection: "one"}}, Limit: query.NoLimit, Where: &query.And{Filters: all}}
	listed, err := normalized(&one)
	if err != nil {
		return // too many alternatives: those of the query remain
	}
	listed.Parent, listed.From = s.listed.Parent, s.listed.From
	s.listed, s.guards = listed, true
}

// implied returns filters that hold for all rows for which a condition is true.
func (c *compiler) implied(e request.Expression) []query.Filter {
	if f, ok := c.filter(e); ok {
		return []query.Filter{f}
	}
	call, ok := e.(*request.Call)
	if !ok {
		return nil
	}
	switch call.Name {
	case "and":
		var out []query.Filter
		for _, arg := range call.Args {
			out = append(out, c.implied(arg)...)
		}
		return out
	case "or":
		var out []query.Filter
		for _, arg := range call.Args {
			some := c.implied(arg)
			if len(some) == 0 {
				return nil
			}
			out = append(out, &query.And{Filters: some})
		}
		return []query.Filter{&query.Or{Filters: out}}
	case "not_equal":
		equal := *call
		equal.Name = "equal"
		f, ok := c.filter(&equal)
		if x, isField := f.(query.Field); ok && isField && !x.Path.IsName() {
			x.Op = query.NotEqual // which null does not fulfill
			return []query.Filter{&query.Or{Filters: []query.Filter{x, query.Unary{Path: x.Path, Op: query.IsNull}}}}
		}
	}
	return nil
}
