package eval_test

import (
	"clave/server/internal/model/query"
	"clave/server/internal/model/value"
)

// everything returns a query for the documents whose field n is 1.
func everything() *query.Query {
	q := &query.Query{
		DB: database, From: []query.From{{Collection: "t"}}, Limit: query.NoLimit,
		Where: query.Field{Path: value.FieldPath{"n"}, Op: query.Equal, Value: value.Int(1)},
	}
	n, err := q.Normalize()
	if err != nil {
		panic(err)
	}
	return n
}
