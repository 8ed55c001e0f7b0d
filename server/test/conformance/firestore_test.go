package conformance_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// program is a sequence of recorded requests, which may depend on each other.
type program struct {
	ID    string
	Setup []request
	Steps []firestoreStep
}

// request is a request to the REST API. Path is below the documents of the program's database, AbsPath is not.
type request struct {
	Method, Path, AbsPath string
	Headers               map[string]string
	Body                  any
	Raw                   *string
	RawGen                *struct{ CommitBytes int }
}

// firestoreStep is one request with its answers by profile, or the wait for the answer of an earlier request.
type firestoreStep struct {
	ID, Step  string
	Request   request
	Expect    []expected
	Async     bool
	Await     string
	MinMs     int
	TimeoutMs int
	Note      string
}

// expected is a recorded answer.
type expected struct {
	Profile string
	Status  int
	Code    string
	Body    any
	Ordered *bool
	AnyOf   []expected
}

// firestoreRun is a program in progress.
type firestoreRun struct {
	t       *testing.T
	origin  string
	project string
	answers map[string]any
	pending map[string]chan sent
}

// sent is the outcome of a request.
type sent struct {
	answer answer
	err    error
}

// production returns production's answer to a step. It returns nil if the answer is not compared.
func (s *firestoreStep) production() *expected {
	for i, e := range s.Expect {
		if e.Profile == "production" || e.Profile == "both" {
			return &s.Expect[i]
		}
	}
	return nil
}

// TestFirestore sends requests that were recorded in production, with and without enforcement of composite indexes.
func TestFirestore(t *testing.T) {
	files, err := os.ReadDir("testdata/firestore")
	if err != nil {
		t.Fatal(err)
	}
	for _, indexes := range []string{"enforce", "off"} {
		t.Run("indexes="+indexes, func(t *testing.T) {
			origin, compared := start(t, "--indexes", indexes).firestore, 0
			t.Run("programs", func(t *testing.T) {
				for i, file := range files {
					var p program
					load(t, "firestore/"+file.Name(), &p)
					for _, s := range p.Steps {
						if s.production() != nil {
							compared++
						}
					}
					t.Run(p.ID, func(t *testing.T) {
						t.Parallel() // two programs wait for locks
						r := &firestoreRun{t: t, origin: origin, project: fmt.Sprintf("demo-recorded-%d", i), answers: map[string]any{}, pending: map[string]chan sent{}}
						r.run(&p)
					})
				}
			})
			t.Logf("%d answers of %d programs were compared", compared, len(files))
		})
	}
}

// run sends the requests of a program.
func (r *firestoreRun) run(p *program) {
	for i := range p.Setup {
		if got := r.send(&p.Setup[i], 0); got.err != nil || got.answer.status != http.StatusOK || got.answer.httpError() != nil {
			r.t.Fatalf("setup %d: %d %.300s %v", i, got.answer.status, got.answer.text, got.err)
		}
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Async {
			done := make(chan sent, 1) // never closed: it is received from at most once
			r.pending[s.Step] = done
			go func() { done <- r.send(&s.Request, s.TimeoutMs) }()
			continue
		}
		var got sent
		if s.Await != "" {
			got = <-r.pending[s.Await]
		} else {
			got = r.send(&s.Request, s.TimeoutMs)
		}
		r.answers[s.Step] = got.answer.json
		if want := s.production(); want != nil {
			if problem := r.judge(want, got); problem != "" {
				r.t.Errorf("%s: %s %s", s.ID, problem, s.Note)
			}
			if s.MinMs > 0 && got.answer.took < time.Duration(s.MinMs)*time.Millisecond {
				r.t.Errorf("%s: answered after %v, before the holder was released", s.ID, got.answer.took)
			}
		}
	}
}

// fill replaces the names of the program's project and documents.
func (r *firestoreRun) fill(s string) string {
	return strings.NewReplacer("{DOCS}", "projects/"+r.project+"/databases/(default)/documents", "{PROJECT}", r.project).Replace(s)
}

// inPath matches a reference to an earlier answer in a path.
var inPath = regexp.MustCompile(`\$\{([^}]+)\}`)

// expand replaces references and generated values in a body.
func (r *firestoreRun) expand(v any) any {
	return replaced(v, func(v any) (any, bool) {
		switch v := v.(type) {
		case string:
			return r.fill(v), true
		case object:
			if ref, ok := v["$ref"].(string); ok {
				return dig(r.t, r.answers, ref), true
			}
			if gen, ok := v["$gen"].(object); ok {
				return generated(gen), true
			}
		}
		return nil, false
	})
}

// generated returns a large value: a repeated text or a list of integers.
func generated(gen object) any {
	count := func(name string) int {
		n, _ := gen[name].(json.Number)
		i, _ := n.Int64() // 0 if it is absent
		return int(i)
	}
	if text, ok := gen["repeat"].(string); ok {
		return strings.Repeat(text, count("count"))
	}
	list := make([]any, count("ints"))
	for i := range list {
		list[i] = object{"integerValue": fmt.Sprint(i)}
	}
	return list
}

// commitBody returns the body of a commit of exactly size bytes. Its documents have long texts.
func (r *firestoreRun) commitBody(size int) string {
	const documents = 11
	build := func(each, last int) string {
		var b strings.Builder
		b.WriteString(`{"writes":[`)
		for i := range documents {
			if i > 0 {
				b.WriteByte(',')
			}
			n := each
			if i == documents-1 {
				n = last
			}
			fmt.Fprintf(&b, `{"update":{"name":"%s/big/d%02d","fields":{"s":{"stringValue":"%s"}}}}`, r.fill("{DOCS}"), i, strings.Repeat("x", n))
		}
		b.WriteString("]}")
		return b.String()
	}
	room := size - len(build(0, 0))
	each := room / documents
	return build(each, room-each*(documents-1))
}

// send sends a request as the owner.
func (r *firestoreRun) send(q *request, timeoutMs int) sent {
	path := q.AbsPath
	if path == "" {
		path = "/v1/{DOCS}" + q.Path
	}
	path = inPath.ReplaceAllStringFunc(r.fill(path), func(m string) string {
		return strings.ReplaceAll(url.QueryEscape(fmt.Sprint(dig(r.t, r.answers, m[2:len(m)-1]))), "+", "%20")
	})
	var body any
	switch {
	case q.Raw != nil:
		body = *q.Raw
	case q.RawGen != nil:
		body = r.commitBody(q.RawGen.CommitBytes)
	case q.Body != nil:
		body = r.expand(q.Body)
	}
	header := bearer("owner")
	for name, value := range q.Headers {
		header.Set(name, value)
	}
	limit := time.Minute
	if timeoutMs > 0 {
		limit = time.Duration(timeoutMs) * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), limit)
	defer cancel()
	a, err := send(ctx, q.Method, r.origin+path, body, header)
	return sent{a, err}
}

// judge returns the differences between a response and the recorded one, or "".
func (r *firestoreRun) judge(want *expected, got sent) string {
	if len(want.AnyOf) > 0 {
		var all []string
		for i := range want.AnyOf {
			problem := r.judge(&want.AnyOf[i], got)
			if problem == "" {
				return ""
			}
			all = append(all, problem)
		}
		return strings.Join(all, "; or ")
	}
	code, refused := "OK", got.answer.httpError()
	switch {
	case errors.Is(got.err, context.DeadlineExceeded):
		code = "no-response"
	case got.err != nil:
		return got.err.Error()
	case got.answer.json == nil:
		code = "non-json"
	case refused != nil:
		code = fmt.Sprint(refused["status"])
	}
	if code != want.Code || got.answer.status != want.Status {
		return fmt.Sprintf("want %d %s, got %d %s %.300s", want.Status, want.Code, got.answer.status, code, got.answer.text)
	}
	if refused != nil && fmt.Sprint(refused["code"]) != fmt.Sprint(got.answer.status) {
		return fmt.Sprintf("the error's code is %v and the status %d", refused["code"], got.answer.status)
	}
	if want.Body == nil {
		return ""
	}
	if want.Ordered != nil && !*want.Ordered {
		return r.sameElements(want.Body, got.answer.json)
	}
	return r.differ("", want.Body, got.answer.json)
}

// sameElements compares two lists in any order.
func (r *firestoreRun) sameElements(want, got any) string {
	wanted, ok := want.([]any)
	rest, isList := got.([]any)
	if !ok || !isList || len(wanted) != len(rest) {
		return r.differ("", want, got)
	}
	used := make([]bool, len(rest))
next:
	for _, w := range wanted {
		for i, g := range rest {
			if !used[i] && r.differ("", w, g) == "" {
				used[i] = true
				continue next
			}
		}
		return "no element equals " + short(w)
	}
	return ""
}

// Patterns of values that differ between servers.
var (
	timeForm  = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$`)
	tokenForm = regexp.MustCompile(`^[A-Za-z0-9+/_=-]+$`)
	idForm    = regexp.MustCompile(`^[A-Za-z0-9]{20}$`)
)

// differ returns the first difference between a recorded value and another, or "".
func (r *firestoreRun) differ(path string, want, got any) string {
	bad := fmt.Sprintf("%s: want %s, got %s", path, short(want), short(got))
	switch want := want.(type) {
	case string:
		if !r.sameText(want, got) {
			return bad
		}
	case json.Number:
		if n, ok := got.(json.Number); !ok || !sameNumber(want, n) {
			return bad
		}
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return bad
		}
		for i := range want {
			if problem := r.differ(fmt.Sprintf("%s[%d]", path, i), want[i], list[i]); problem != "" {
				return problem
			}
		}
	case object:
		o, ok := got.(object)
		if !ok {
			return bad
		}
		for k := range o {
			if _, known := want[k]; !known {
				return fmt.Sprintf("%s.%s: unexpected %s", path, k, short(o[k]))
			}
		}
		for k, v := range want {
			if _, there := o[k]; !there {
				return fmt.Sprintf("%s.%s: absent, want %s", path, k, short(v))
			}
			if problem := r.differ(path+"."+k, v, o[k]); problem != "" {
				return problem
			}
		}
	default:
		if want != got {
			return bad
		}
	}
	return ""
}

// sameText compares a text with a recorded one, which may be a placeholder.
func (r *firestoreRun) sameText(want string, got any) bool {
	text, ok := got.(string)
	if !ok {
		return false
	}
	switch want {
	case "<time>":
		return timeForm.MatchString(text)
	case "<txn>":
		return tokenForm.MatchString(text)
	case "<token>":
		return text != ""
	}
	want = r.fill(want)
	if head, ok := strings.CutSuffix(want, "<auto-id>"); ok && strings.HasSuffix(head, "/") {
		id, ok := strings.CutPrefix(text, head)
		return ok && idForm.MatchString(id)
	}
	return want == text
}
