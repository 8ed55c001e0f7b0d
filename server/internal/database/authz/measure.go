package authz

import (
	"strconv"
	"strings"

	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/observe/meter"
)

// ran counts the indexes that a query has used, and keeps the query if it was slow.
func (az *Authorizer) ran(call meter.Call, q *query.Query, stats *request.Stats) {
	if az.meter == nil {
		return
	}
	var used []meter.Index
	for _, plan := range stats.Plans {
		for _, i := range plan.Indexes {
			used = append(used, meter.Index{Database: q.DB.String(), Collection: collectionOf(q), Scope: i.Scope, Properties: i.Properties})
		}
	}
	az.meter.Used(used...)
	call.Slow(func() meter.Query {
		out := meter.Query{
			Project: q.DB.Project, Database: q.DB.ID, Text: queryText(q), Entries: stats.EntriesRead, Documents: stats.DocumentsRead, Results: stats.Results,
			Indexes: []string{}, Missing: append([]string{}, stats.Missing...),
		}
		for _, i := range used {
			out.Indexes = append(out.Indexes, i.Scope+" "+i.Properties)
		}
		return out
	})
}

// collectionOf returns the id of the collections that a query reads, empty for all.
func collectionOf(q *query.Query) string {
	if len(q.From) == 0 {
		return ""
	}
	return q.From[0].Collection
}

// queryText describes a query in words, without the values that its fields are compared with.
func queryText(q *query.Query) string {
	from := collectionOf(q)
	if q.Parent != "" {
		from = q.Parent + "/" + from
	}
	if len(q.From) == 0 || q.From[0].AllDescendants {
		from += "/**"
	}
	return from + clauses(q)
}

// clauses describes what a query requests of its collection.
func clauses(q *query.Query) string {
	var b strings.Builder
	if q.Where != nil {
		b.WriteString(" where " + filterText(q.Where))
	}
	for i, o := range q.OrderBy[:max(0, len(q.OrderBy)-q.Implied)] {
		b.WriteString([]string{" order by ", ", "}[min(i, 1)] + o.Path.String())
		if o.Desc {
			b.WriteString(" desc")
		}
	}
	if q.Nearest != nil {
		b.WriteString(" nearest " + q.Nearest.Path.String())
	}
	if q.Offset > 0 {
		b.WriteString(" offset " + strconv.Itoa(q.Offset))
	}
	if q.Limit != query.NoLimit {
		b.WriteString(" limit " + strconv.Itoa(q.Limit))
	}
	return b.String()
}

// filterText describes a filter without its values.
func filterText(f query.Filter) string {
	switch f := f.(type) {
	case *query.And:
		return joined(f.Filters, " and ")
	case *query.Or:
		return "(" + joined(f.Filters, " or ") + ")"
	case query.Field:
		return f.Path.String() + " " + f.Op.String() + " ?"
	case query.Unary:
		return f.Path.String() + " " + f.Op.String()
	}
	return ""
}

// joined describes filters one after another.
func joined(filters []query.Filter, between string) string {
	texts := make([]string, len(filters))
	for i, f := range filters {
		texts[i] = filterText(f)
	}
	return strings.Join(texts, between)
}
