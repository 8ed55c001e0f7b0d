package conformance_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
)

// authCase is a sequence of requests that was recorded from production.
type authCase struct {
	ID     string
	Config struct{ EmailPrivacy bool }
	Steps  []authStep
}

// authStep is one request and its answer.
type authStep struct {
	ID, API, Method, Path, Auth string
	Body, Query, Form           object
	DelayMs                     int
	Want                        authWant
}

// authWant holds the compared parts of a response. Body and claims may have more fields than recorded.
type authWant struct {
	Status     int
	Code       *string
	GRPCStatus string `json:"grpcStatus"`
	ErrorBody  object
	Body       object
	Claims     map[string]object
	Same       [][2]string
	Greater    [][2]string
	Life       []any
	Link       object
}

// authRun is a case in progress.
type authRun struct {
	t       *testing.T
	origin  string
	number  int
	answers map[string]any
}

// authProject is the project of the Auth cases.
const authProject = "demo-test"

// TestAuth sends requests that were recorded in production to a server that signs tokens and creates projects with
// production's settings.
func TestAuth(t *testing.T) {
	var file struct{ Cases []authCase }
	load(t, "auth-cases.json", &file)
	origin, steps := start(t, "--sign-tokens", "--production-settings", "--project", authProject).auth, 0
	for i, c := range file.Cases {
		steps += len(c.Steps)
		t.Run(c.ID, func(t *testing.T) {
			r := &authRun{t: t, origin: origin, number: i, answers: map[string]any{}}
			r.configure(c.Config.EmailPrivacy)
			for i := range c.Steps {
				r.step(&c.Steps[i])
			}
		})
	}
	t.Logf("%d answers of %d cases were compared", steps, len(file.Cases))
}

// configure removes all accounts and sets e-mail enumeration protection.
func (r *authRun) configure(privacy bool) {
	base := r.origin + "/emulator/v1/projects/" + authProject
	settings := object{"signIn": object{"allowDuplicateEmails": false}, "emailPrivacyConfig": object{"enableImprovedEmailPrivacy": privacy}}
	for _, q := range []struct {
		method, path string
		body         any
	}{{http.MethodDelete, "/accounts", nil}, {http.MethodPatch, "/config", settings}} {
		if a, err := send(r.t.Context(), q.method, base+q.path, q.body, bearer("owner")); err != nil || a.status != http.StatusOK {
			r.t.Fatalf("%s %s: %d, %v", q.method, q.path, a.status, err)
		}
	}
}

// step sends one request and compares the answer.
func (r *authRun) step(s *authStep) {
	if s.DelayMs > 0 {
		time.Sleep(time.Duration(s.DelayMs) * time.Millisecond) // the recorded answers differ by whole seconds
	}
	host := "/identitytoolkit.googleapis.com/"
	if s.API == "token" {
		host = "/securetoken.googleapis.com/"
	}
	query, header := url.Values{}, http.Header{}
	for k, v := range s.Query {
		query.Set(k, fmt.Sprint(r.fill(v)))
	}
	switch s.Auth {
	case "key":
		query.Set("key", "fake-api-key")
	case "admin":
		header = bearer("owner")
	}
	var body any
	if s.Form != nil {
		form := url.Values{}
		for k, v := range s.Form {
			form.Set(k, fmt.Sprint(r.fill(v)))
		}
		body = form.Encode()
		header.Set("Content-Type", "application/x-www-form-urlencoded")
	} else if s.Body != nil {
		body = r.fill(s.Body)
	}
	method := s.Method
	if method == "" {
		method = http.MethodPost
	}
	a, err := send(r.t.Context(), method, r.origin+host+fmt.Sprint(r.fill(s.Path))+"?"+query.Encode(), body, header)
	if err != nil {
		r.t.Fatalf("%s: %v", s.ID, err)
	}
	r.answers[s.ID] = a.json
	for _, problem := range r.judge(&s.Want, a) {
		r.t.Errorf("%s: %s: %.300s", s.ID, problem, a.text)
	}
}

// judge returns the differences between a response and the recorded one.
func (r *authRun) judge(want *authWant, a answer) (problems []string) {
	bad := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if a.status != want.Status {
		bad("status %d, want %d", a.status, want.Status)
	}
	refused := a.httpError()
	message, _ := refused["message"].(string)
	if want.Code != nil && a.status != http.StatusOK && message != *want.Code && !strings.HasPrefix(message, *want.Code+" : ") {
		bad("message %q, want %s", message, *want.Code)
	}
	if want.GRPCStatus != "" && refused["status"] != want.GRPCStatus {
		bad("status %v of the error, want %s", refused["status"], want.GRPCStatus)
	}
	if want.ErrorBody != nil {
		problems = append(problems, match("error", r.fill(want.ErrorBody), refused)...)
	}
	if want.Status != http.StatusOK || a.status != http.StatusOK {
		return problems
	}
	body, _ := a.json.(object)
	problems = append(problems, match("body", r.fill(want.Body), body)...)
	for field, claims := range want.Claims {
		problems = append(problems, match(field, r.fill(claims), claimsOf(body[field]))...)
	}
	for _, pair := range want.Same {
		if !reflect.DeepEqual(r.dig(pair[0]), r.dig(pair[1])) {
			bad("%s differs from %s", pair[0], pair[1])
		}
	}
	for _, pair := range want.Greater {
		if fmt.Sprint(r.dig(pair[0])) <= fmt.Sprint(r.dig(pair[1])) {
			bad("%s is not greater than %s", pair[0], pair[1])
		}
	}
	if len(want.Life) == 2 {
		claims := claimsOf(body[fmt.Sprint(want.Life[0])])
		if got := number(claims["exp"]) - number(claims["iat"]); got != number(want.Life[1]) {
			bad("a life of %v s, want %v", got, want.Life[1])
		}
	}
	if want.Link != nil {
		u, err := url.Parse(fmt.Sprint(body["oobLink"]))
		if err != nil {
			bad("no link: %v", err)
			return problems
		}
		given := object{}
		for k := range u.Query() {
			given[k] = u.Query().Get(k)
		}
		problems = append(problems, match("link", r.fill(want.Link), given)...)
	}
	return problems
}

// number returns a JSON number.
func number(v any) float64 {
	n, _ := v.(json.Number)
	f, _ := n.Float64() // 0 if it is not a number
	return f
}

// claimsOf returns the claims of a JWT, or nil.
func claimsOf(token any) object {
	raw, _ := token.(string)
	parts := strings.Split(raw, ".")
	if len(parts) != 3 {
		return nil
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return nil
	}
	var claims object
	if decode(text, &claims) != nil {
		return nil
	}
	return claims
}

// dig returns a value from an earlier answer.
func (r *authRun) dig(path string) any { return dig(r.t, r.answers, path) }

// inBraces matches a placeholder.
var inBraces = regexp.MustCompile(`\{\{([^{}]+)\}\}`)

// testPhones are fictitious numbers.
var testPhones = []string{"+16505550101", "+16505550102", "+16505550103", "+16505550104", "+16505550105", "+16505550106"}

// value returns the value of a placeholder.
func (r *authRun) value(expr string) any {
	kind, name, ok := strings.Cut(expr, ":")
	mail := fmt.Sprintf("orc-run-%d-%s@example.com", r.number, name)
	switch {
	case expr == "project":
		return authProject
	case !ok:
		return r.dig(expr)
	case kind == "email":
		return mail
	case kind == "EMAIL":
		return strings.Replace(strings.Replace(mail, "orc-", "OrC-", 1), "example", "Example", 1)
	case kind == "uid":
		return fmt.Sprintf("aa-run-%d-%s", r.number, name)
	case kind == "phone":
		return testPhones[name[0]-'0']
	}
	r.t.Fatalf("unknown placeholder %s", expr)
	return nil
}

// fill replaces placeholders and generated values.
func (r *authRun) fill(v any) any {
	return replaced(v, func(v any) (any, bool) {
		switch v := v.(type) {
		case string:
			if m := inBraces.FindStringSubmatch(v); m != nil && m[0] == v {
				return r.value(m[1]), true
			}
			return inBraces.ReplaceAllStringFunc(v, func(m string) string { return fmt.Sprint(r.value(m[2 : len(m)-2])) }), true
		case object:
			for name, argument := range v {
				if strings.HasPrefix(name, "$") {
					return r.generated(name, argument), true
				}
			}
		}
		return nil, false
	})
}

// generated returns the value of a generator that the cases name.
func (r *authRun) generated(name string, argument any) any {
	list, _ := argument.([]any)
	count := int(number(argument))
	switch name {
	case "$repeat":
		return strings.Repeat(fmt.Sprint(list[0]), int(number(list[1])))
	case "$concat":
		var b strings.Builder
		for _, part := range list {
			b.WriteString(fmt.Sprint(r.fill(part)))
		}
		return b.String()
	case "$chop":
		text := fmt.Sprint(r.dig(fmt.Sprint(list[0])))
		return text[:len(text)-int(number(list[1]))]
	case "$add":
		var n float64
		if _, err := fmt.Sscan(fmt.Sprint(r.dig(fmt.Sprint(list[0]))), &n); err != nil {
			r.t.Fatal(err)
		}
		return fmt.Sprintf("%.0f", n+number(list[1]))
	case "$customToken":
		return r.customToken(r.fill(argument).(object))
	case "$uids":
		out := make([]any, count)
		for i := range out {
			out[i] = fmt.Sprintf("aa-run-%d-none-%d", r.number, i)
		}
		return out
	case "$bulkUsers":
		out := make([]any, count)
		for i := range out {
			out[i] = object{"localId": fmt.Sprintf("aa-run-%d-bulk-%d", r.number, i)}
		}
		return out
	case "$tamperPayload", "$algNone":
		parts := strings.Split(fmt.Sprint(r.dig(fmt.Sprint(argument))), ".")
		if name == "$algNone" {
			return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + parts[1] + "."
		}
		claims := claimsOf(strings.Join(parts, "."))
		claims["extra"] = "x"
		return parts[0] + "." + strings.Split(unsigned(r.t, claims), ".")[1] + "." + parts[2]
	}
	r.t.Fatalf("unknown function %s", name)
	return nil
}

// customToken returns an unsigned custom token.
func (r *authRun) customToken(spec object) string {
	account := "firebase-adminsdk@" + authProject + ".iam.gserviceaccount.com"
	life := int64(3600)
	if n := number(spec["lifetime"]); n != 0 {
		life = int64(n)
	}
	issued := time.Now().Unix() + int64(number(spec["iatOffset"]))
	claims := object{
		"aud": "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit", "iss": account, "sub": account, "iat": issued, "exp": issued + life,
	}
	for _, name := range []string{"uid", "claims"} {
		if v, ok := spec[name]; ok {
			claims[name] = v
		}
	}
	if set, ok := spec["set"].(object); ok {
		maps.Copy(claims, set)
	}
	if omit, ok := spec["omit"].([]any); ok {
		for _, name := range omit {
			delete(claims, fmt.Sprint(name))
		}
	}
	return unsigned(r.t, claims)
}

// forms maps recorded placeholders to patterns of the accepted texts.
var forms = map[string]*regexp.Regexp{
	"<string>": regexp.MustCompile(`(?s).`), "<ms>": regexp.MustCompile(`^\d{13}$`), "<sec>": regexp.MustCompile(`^\d{10}$`), "<rfc3339>": regexp.MustCompile(`^\d{4}-\d\d-\d\dT.*Z$`),
}

// match compares a value with a recorded one; objects may have more fields.
func match(path string, want, got any) (problems []string) {
	bad := []string{fmt.Sprintf("%s: want %s, got %s", path, short(want), short(got))}
	switch want := want.(type) {
	case string:
		if !matchText(want, got) {
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
			problems = append(problems, match(fmt.Sprintf("%s[%d]", path, i), want[i], list[i])...)
		}
	case object:
		o, ok := got.(object)
		if !ok && len(want) > 0 {
			return bad
		}
		for k, v := range want {
			problems = append(problems, match(path+"."+k, v, o[k])...)
		}
	default:
		if want != got {
			return bad
		}
	}
	return problems
}

// matchText compares a text with a recorded one, which may be a placeholder.
func matchText(want string, got any) bool {
	text, isText := got.(string)
	switch want {
	case "<absent>":
		return got == nil
	case "<none>":
		list, isList := got.([]any)
		return got == nil || isList && len(list) == 0
	case "<number>":
		_, ok := got.(json.Number)
		return ok
	case "<jwt>":
		return claimsOf(got) != nil
	}
	if form := forms[want]; form != nil {
		return isText && form.MatchString(text)
	}
	return isText && text == want
}
