package rest_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// step is a request and the expected content of its answer. A ~ begins a pattern. The text after " !! " must not occur.
type step struct {
	method, path, body string
	status             int
	want               string
}

// from returns a query of the collection c with more members.
func from(more string) string {
	return `{"structuredQuery":{"from":[{"collectionId":"c"}]` + more + `}}`
}

// where returns a query of the collection c with a filter.
func where(filter string) string { return from(`,"where":` + filter) }

// is returns a filter on a field.
func is(path, op, v string) string {
	return fmt.Sprintf(`{"fieldFilter":{"field":{"fieldPath":%q},"op":%q,"value":%s}}`, path, op, v)
}

// both returns the conjunction of filters.
func both(filters ...string) string {
	return `{"compositeFilter":{"op":"AND","filters":[` + strings.Join(filters, ",") + `]}}`
}

// by returns an order.
func by(orders ...string) string {
	var out []string
	for _, o := range orders {
		path, desc := strings.CutPrefix(o, "-")
		direction := map[bool]string{false: "ASCENDING", true: "DESCENDING"}[desc]
		out = append(out, fmt.Sprintf(`{"field":{"fieldPath":%q},"direction":%q}`, path, direction))
	}
	return `,"orderBy":[` + strings.Join(out, ",") + `]`
}

// figures returns an aggregation of the collection c.
func figures(aggregations string) string {
	return `{"structuredAggregationQuery":{"structuredQuery":{"from":[{"collectionId":"c"}]},"aggregations":[` + aggregations + `]}}`
}

// put returns a write of a document's fields, with more members.
func put(path, fields, more string) string {
	return fmt.Sprintf(`{"update":{"name":"%s/%s","fields":{%s}}%s}`, docs, path, fields, more)
}

// commit returns a commit of writes.
func commit(writes ...string) string { return `{"writes":[` + strings.Join(writes, ",") + `]}` }

const (
	one  = `{"integerValue":1}`
	nan  = `{"doubleValue":"NaN"}`
	null = `{"nullValue":null}`
)

// notable lists statements about production's behaviour by their numbers in the contract. Before each, the documents of
// seed are written.
var notable = []struct {
	statement string
	steps     []step
}{
	{"1 no done; nothing is one row", []step{
		{"POST", ":runQuery", from(""), 200, "c/a !! done"},
		{"POST", ":runQuery", where(is("n", "EQUAL", `{"integerValue":9}`)), 200, `[{"readTime":T}]`},
	}},
	{"2 offset", []step{
		{"POST", ":runQuery", from(`,"offset":2`), 200, `[{"readTime":T,"skippedResults":2},`},
		{"POST", ":runQuery", from(`,"offset":10`), 200, `[{"readTime":T,"skippedResults":5}]`},
	}},
	{"3 limit 0", []step{{"POST", ":runQuery", from(`,"limit":0`), 200, `[{"readTime":T}]`}}},
	{"4 null and NaN equal nothing", []step{
		{"POST", ":runQuery", where(is("s", "EQUAL", null)), 200, `[{"readTime":T}]`},
		{"POST", ":runQuery", where(is("s", "NOT_EQUAL", null)), 200, `[{"readTime":T}]`},
		{"POST", ":runQuery", where(is("n", "EQUAL", nan)), 200, `[{"readTime":T}]`},
		{"POST", ":runQuery", where(`{"unaryFilter":{"field":{"fieldPath":"s"},"op":"IS_NULL"}}`), 200, `c/d !! c/a`},
		{"POST", ":runQuery", where(`{"unaryFilter":{"field":{"fieldPath":"n"},"op":"IS_NAN"}}`), 200, `c/c !! c/a`},
	}},
	{"5 null in lists", []step{
		{"POST", ":runQuery", where(is("s", "IN", `{"arrayValue":{"values":[`+null+`]}}`)), 200, `[{"readTime":T}]`},
		{"POST", ":runQuery", where(is("s", "NOT_IN", `{"arrayValue":{"values":[`+null+`,{"stringValue":"x"}]}}`)), 200, `[{"readTime":T}]`},
	}},
	{"6 NOT_EQUAL", []step{{"POST", ":runQuery", where(is("n", "NOT_EQUAL", one)), 200, `c/c !! c/a`}, {"POST", ":runQuery", where(is("s", "NOT_EQUAL", one)), 200, `c/a !! c/d`}}},
	{"7 IN is in the order of names", []step{{"POST", ":runQuery", where(is("n", "IN", `{"arrayValue":{"values":[{"integerValue":2},{"integerValue":1}]}}`)), 200, `~c/a.*c/b.*c/d`}}},
	{"8 implied orders", []step{
		{"POST", ":runQuery", where(is("n", "GREATER_THAN", `{"integerValue":0}`)), 200, `~c/a.*c/d.*c/b`},
		{"POST", ":runQuery", where(both(is("s", "GREATER_THAN", `{"stringValue":""}`), is("n", "GREATER_THAN", `{"integerValue":0}`))), 200, `~c/a.*c/b`},
	}},
	{"9 the name is last", []step{{"POST", ":runQuery", from(`,"where":` + is("n", "LESS_THAN", `{"integerValue":3}`) + by("-__name__")), 400, "order by clause cannot contain more fields after the key"}}},
	{"10 names backwards", []step{{"POST", ":runQuery", from(by("-__name__")), 200, "~c/e.*c/a"}}},
	{"11 the tie-break follows the last order", []step{{"POST", ":runQuery", from(by("k", "-z")), 200, "~c/e.*c/b.*c/a"}}},
	{"12 figures see documents with all fields", []step{{"POST", ":runAggregationQuery", figures(`{"alias":"c","count":{}},{"alias":"s","sum":{"field":{"fieldPath":"n"}}},{"alias":"t","sum":{"field":{"fieldPath":"z"}}}`), 200, `"c":{"integerValue":"2"}`}}},
	{"13 sums and averages", []step{
		{"POST", ":runAggregationQuery", figures(`{"alias":"s","sum":{"field":{"fieldPath":"big"}}}`), 200, `"s":{"doubleValue":18446744073709552000}`},
		{"POST", ":runAggregationQuery", figures(`{"alias":"s","sum":{"field":{"fieldPath":"x"}}}`), 200, `"s":{"doubleValue":4}`},
		{"POST", ":runAggregationQuery", figures(`{"alias":"s","sum":{"field":{"fieldPath":"none"}}},{"alias":"v","avg":{"field":{"fieldPath":"none"}}}`), 200, `"s":{"integerValue":"0"},"v":{"nullValue":null}`},
		{"POST", ":runAggregationQuery", figures(`{"alias":"s","sum":{"field":{"fieldPath":"n"}}}`), 200, `"s":{"doubleValue":"NaN"}`},
	}},
	{"14 figures of names", []step{{"POST", ":runAggregationQuery", figures(`{"alias":"s","sum":{"field":{"fieldPath":"__name__"}}}`), 400, "Aggregations are not supported for the property: __key__"}}},
	{"15 nothing selected, nothing there", []step{
		{"POST", ":runQuery", from(`,"select":{"fields":[]}`), 200, `c/a !! "fields"`},
		{"PATCH", "/c/empty", `{"fields":{"l":{"arrayValue":{"values":[]}},"m":{"mapValue":{"fields":{}}}}}`, 200, `"l":{"arrayValue":{}},"m":{"mapValue":{}}`},
		{"PATCH", "/c/empty", `{}`, 200, `c/empty !! "fields"`},
	}},
	{"16 without from, and AND of nothing", []step{
		{"POST", ":runQuery", `{"structuredQuery":{"limit":2}}`, 200, "~c/a.*c/b"},
		{"POST", ":runQuery", `{"structuredQuery":{"from":[{"collectionId":""}],"limit":2}}`, 200, "~c/a.*c/b"},
		{"POST", ":runQuery", where(both()), 200, "~c/a.*c/e"},
	}},
	{"17 odd paths", []step{{"GET", "/c/a/sub", "", 200, "{}"}, {"PUT", "/c/a", "{}", 404, " !! {"}, {"POST", ":nothing", "{}", 404, " !! {"}}},
	{"18 the last page", []step{
		{"GET", "/c?pageSize=5", "", 200, "c/e !! nextPageToken"}, {"GET", "/c?pageSize=4", "", 200, "nextPageToken !! c/e"},
		{"POST", ":listCollectionIds", `{"pageSize":2}`, 200, `{"collectionIds":["c","gone"]} !! nextPageToken`},
	}},
	{"19 missing documents", []step{{"GET", "/gone?showMissing=true", "", 200, `{"documents":[{"name":"` + docs + `/gone/x"}]}`}}},
	{"20 page tokens", []step{{"GET", "/c?pageToken=rubbish", "", 400, "invalid page token"}}},
	{"21, 22 times to read at", []step{
		{"GET", "/c/a?readTime=2020-01-01T00:00:00Z", "", 400, `~cannot be before database creation time.*INVALID_ARGUMENT`},
		{"GET", "/c?readTime=2099-01-01T00:00:00Z", "", 400, "The requested 'read_time' cannot be in the future."},
	}},
	{"23 update times", []step{
		{"POST", ":commit", commit(put("c/a", "", `,"currentDocument":{"updateTime":"2020-01-01T00:00:00Z"}`)), 400, `~the stored version \(\d+\) does not match the required base version \(1577836800000000\).*FAILED_PRECONDITION`},
		{"POST", ":commit", commit(put("c/none", "", `,"currentDocument":{"updateTime":"2020-01-01T00:00:00Z"}`)), 400, `~the stored version \(0\) does not match.*FAILED_PRECONDITION`},
	}},
	{"24 existence", []step{
		{"POST", ":commit", commit(put("c/none", "", `,"currentDocument":{"exists":true}`)), 404, "No document to update: " + docs + "/c/none"},
		{"POST", ":commit", commit(`{"delete":"` + docs + `/c/none","currentDocument":{"exists":true}}`), 404, "No document to update"},
		{"POST", ":commit", commit(`{"verify":"` + docs + `/c/none","currentDocument":{"exists":true}}`), 404, "No document to update"},
		{"POST", ":commit", commit(`{"transform":{"document":"` + docs + `/c/none","fieldTransforms":[{"fieldPath":"n","increment":` + one + `}]},"currentDocument":{"exists":true}}`), 404, "No document to update"},
		{"PATCH", "/c/none?currentDocument.exists=true", "{}", 404, "No document to update"}, {"DELETE", "/c/none?currentDocument.exists=true", "", 404, "No document to update"},
		{"POST", ":commit", commit(put("c/a", "", `,"currentDocument":{"exists":false}`)), 409, "Document already exists: " + docs + "/c/a"},
		{"PATCH", "/c/a?currentDocument.exists=false", "{}", 409, "ALREADY_EXISTS"}, {"DELETE", "/c/a?currentDocument.exists=false", "", 409, "ALREADY_EXISTS"},
	}},
	{"25 empty results", []step{
		{"POST", ":commit", `{"writes":[]}`, 200, "{} !! commitTime"}, {"POST", ":batchWrite", `{"writes":[]}`, 200, "{}"},
		{"POST", ":commit", commit(`{"delete":"` + docs + `/c/none"}`), 200, `"writeResults":[{}]`},
		{"POST", ":commit", commit(`{"verify":"` + docs + `/c/a","currentDocument":{"exists":true}}`), 200, `"writeResults":[{"updateTime":T}]`},
	}},
	{"26 one document twice", []step{
		{"POST", ":batchWrite", commit(put("c/new", "", ""), put("c/new", "", "")), 400, "the same document cannot be written more than once in a single request"},
		{"GET", "/c/new", "", 404, "NOT_FOUND"},
		{"POST", ":commit", commit(put("c/new", `"n":`+one+`,"s":`+one, ""), put("c/new", `"n":{"integerValue":2}`, `,"updateMask":{"fieldPaths":["n"]}`)), 200, "commitTime"},
		{"GET", "/c/new", "", 200, `"fields":{"n":{"integerValue":"2"},"s":{"integerValue":"1"}}`},
	}},
	{"27 transforms", []step{
		{"POST", ":commit", commit(`{"transform":{"document":"` + docs + `/c/a","fieldTransforms":[{"fieldPath":"s","increment":` + one + `},{"fieldPath":"none","increment":` + one + `},{"fieldPath":"big","increment":` + one + `},{"fieldPath":"n","increment":` + one + `},{"fieldPath":"n","increment":` + one + `},{"fieldPath":"l","appendMissingElements":{"values":[{"doubleValue":1},{"integerValue":3}]}},{"fieldPath":"k","appendMissingElements":{"values":[` + one + `]}}]}}`), 200, `"transformResults":[{"integerValue":"1"},{"integerValue":"1"},{"integerValue":"9223372036854775807"},{"integerValue":"2"},{"integerValue":"3"},{"nullValue":null},{"nullValue":null}]`},
		{"GET", "/c/a", "", 200, `"k":{"arrayValue":{"values":[{"integerValue":"1"}]}},"l":{"arrayValue":{"values":[{"integerValue":"1"},{"integerValue":"3"}]}}`},
	}},
	{"29 a dash is quoted", []step{
		{"POST", ":commit", commit(put("c/dash", `"n":`+one, ""), put("c/a", "", `,"updateMask":{"fieldPaths":["a-b"]}`)), 400, `Invalid property path \"a-b\"`},
		{"GET", "/c/dash", "", 404, "NOT_FOUND"},
	}},
	{"30 a new transaction is answered first", []step{{"POST", ":batchGet", `{"documents":["` + docs + `/c/a"],"newTransaction":{}}`, 200, `~^\[{"transaction":"[^"]+"},.*c/a`}}},
	{"33 ids that were never given", []step{
		{"POST", ":commit", `{"transaction":"AAAAAAAAAAA="}`, 400, "Invalid transaction."}, {"POST", ":rollback", `{"transaction":"AAAAAAAAAAA="}`, 400, "Invalid transaction."},
	}},
	{"34 databases", []step{
		{"POST", ":commit", commit(`{"delete":"projects/p/databases/other/documents/c/a"}`), 400, `~The request was for database 'projects/p/databases/\(default\)' but was attempting to access database 'projects/p/databases/other'`},
		{"PATCH", "/c/ref", `{"fields":{"r":{"referenceValue":"projects/q/databases/d/documents/c/a"}}}`, 200, "projects/q"},
	}},
	{"35 what does not go together", []step{
		{"POST", ":runQuery", where(both(is("l", "ARRAY_CONTAINS", one), is("l", "ARRAY_CONTAINS", null))), 400, `~A maximum of 1 'ARRAY_CONTAINS' filter is allowed per disjunction..*INVALID_ARGUMENT`},
		{"POST", ":runQuery", where(both(is("n", "NOT_EQUAL", one), is("n", "NOT_IN", `{"arrayValue":{"values":[`+one+`]}}`))), 400, `Only a single 'NOT_EQUAL', 'NOT_IN', 'IS_NOT_NAN', or 'IS_NOT_NULL' filter allowed per query.`},
		{"POST", ":runQuery", where(is("n", "IN", `{"arrayValue":{"values":[`+strings.Repeat(one+",", 30)+one+`]}}`)), 400, `'IN' supports up to 30 comparison values.`},
	}},
	{"36 lenient JSON", []step{
		{"PATCH", "/c/json", `{"fields":{"i":{"integerValue":5},"d":{"doubleValue":"1.5"}}}`, 200, `"d":{"doubleValue":1.5},"i":{"integerValue":"5"}`},
		{"POST", ":runQuery", where(is("l", "ARRAY_CONTAINS_ANY", `{"arrayValue":{"values":[{"arrayValue":{"values":[`+one+`]}}]}}`)), 200, `[{"readTime":T}]`},
		{"PATCH", "/c/json", `{"fields":{"l":{"arrayValue":{"values":[{"arrayValue":{}}]}}}}`, 400, "Nested arrays are not allowed"},
	}},
	{"37 names", []step{
		{"PATCH", "/c/name", `{"fields":{"__id__":` + one + `}}`, 400, "field name __id__ is reserved"},
		{"PATCH", "/c/name", `{"fields":{"m":{"mapValue":{"fields":{"__id__":` + one + `}}}}}`, 400, "field name __id__ is reserved"},
		{"PATCH", "/c/__x__", `{}`, 400, `Resource id \"__x__\" is invalid because it is reserved.`},
		{"POST", ":commit", commit(put("c/a%2Fb", "", "")), 200, "commitTime"}, {"GET", "/c/a%252Fb", "", 200, `c/a%2Fb"`},
		{"POST", ":commit", commit(put("c/..", "", "")), 400, `contains a resource id \"..\" at index 43.`},
	}},
	{"39 partitions", []step{{"POST", ":partitionQuery", `{"structuredQuery":{"from":[{"collectionId":"c","allDescendants":true}]},"partitionCount":2}`, 200, "{}"}}},
	{"40 the server's order", []step{{"POST", ":batchGet", `{"documents":["` + docs + `/c/b","` + docs + `/c/none","` + docs + `/c/a"]}`, 200, `~c/a.*c/b.*missing.*c/none`}}},
}

// seed writes the documents that exist before every statement.
var seed = commit(
	put("c/a", `"n":`+one+`,"s":{"stringValue":"x"},"k":`+one+`,"z":`+one+`,"x":{"doubleValue":1},"big":{"integerValue":"9223372036854775807"},"l":{"arrayValue":{"values":[`+one+`]}}`, ""),
	put("c/b", `"n":{"integerValue":2},"s":{"stringValue":"y"},"k":`+one+`,"z":`+one+`,"x":{"doubleValue":3},"big":{"integerValue":"9223372036854775807"}`, ""),
	put("c/c", `"n":`+nan, ""), put("c/d", `"n":{"doubleValue":1},"s":`+null, ""), put("c/e", `"k":`+one+`,"z":`+one, ""),
	put("gone/x/sub/y", "", ""),
)

// times matches the times in an answer.
var times = regexp.MustCompile(`"20\d\d-[0-9T:.-]+Z"`)

func TestNotableBehaviours(t *testing.T) {
	for _, tt := range notable {
		t.Run(tt.statement, func(t *testing.T) {
			s := newServer(t)
			if status, _, body := send(t, s, "POST", ":commit", seed); status != 200 {
				t.Fatalf("seed: %d %s", status, body)
			}
			for _, step := range tt.steps {
				status, _, body := send(t, s, step.method, step.path, step.body)
				body = strings.Join(strings.Fields(times.ReplaceAllString(body, "T")), " ")
				want, not, _ := strings.Cut(step.want, " !! ")
				if pattern, ok := strings.CutPrefix(want, "~"); !ok {
					want = regexp.QuoteMeta(want)
				} else {
					want = pattern
				}
				if status != step.status || !regexp.MustCompile(want).MatchString(body) || not != "" && strings.Contains(body, not) {
					t.Errorf("%s %s %.300s: %d %s; want %d %s", step.method, step.path, step.body, status, body, step.status, step.want)
				}
			}
		})
	}
}
