package provider_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"reflect"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/beevik/etree"
	dsig "github.com/russellhaering/goxmldsig"

	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/token"
)

// claimsOf returns the claims of an ID token of the tests, which is not signed.
func claimsOf(t *testing.T, raw string) map[string]any {
	t.Helper()
	claims, err := token.Unverified(raw)
	if err != nil {
		t.Fatal(err)
	}
	return claims
}

// TestSAML signs in with signed assertions and with signed responses, and again.
func TestSAML(t *testing.T) {
	f := openSAML(t)
	var uid string
	for _, c := range []struct {
		name   string
		change func(*samlReply)
	}{
		{"a signed assertion", func(*samlReply) {}},
		{"a signed response", func(r *samlReply) { r.assertionSigner, r.responseSigner = nil, theSigner() }},
		{"both signed", func(r *samlReply) { r.responseSigner = theSigner() }},
		{"SHA-512", func(r *samlReply) { r.method = dsig.RSASHA512SignatureMethod }},
		{"a clock that is ahead", func(r *samlReply) {
			ahead := r.Issued.Add(2 * time.Minute)
			r.Issued, r.Assertion, r.From = ahead, ahead, ahead
		}},
		{"a clock that is behind", func(r *samlReply) { r.Until = r.Issued.Add(-2 * time.Minute) }},
		{"no certificate in the signature", func(r *samlReply) {
			r.change = func(response *etree.Element) {
				info := response.FindElement("//KeyInfo")
				info.Parent().RemoveChild(info)
			}
		}},
	} {
		s := f.beginSAML(client, "saml.corp")
		r := f.reply(s)
		c.change(r)
		got, err := f.presentSAML(client, s, r.response())
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got.IsNewUser != (uid == "") || uid != "" && got.LocalID != uid || got.Email != "Ann@Corp.example" || !got.EmailVerified || got.ProviderID != "saml.corp" || got.FederatedID != "Ann@Corp.example" {
			t.Errorf("%s: %+v", c.name, got)
		}
		uid = got.LocalID
		if want := `{"groups":["a","b"],"role":"editor"}`; got.RawUserInfo != want {
			t.Errorf("%s: rawUserInfo is %s, want %s", c.name, got.RawUserInfo, want)
		}
		inner, _ := claimsOf(t, got.IDToken)["firebase"].(map[string]any)
		if want := map[string]any{"groups": []any{"a", "b"}, "role": "editor"}; !reflect.DeepEqual(inner["sign_in_attributes"], want) || inner["sign_in_provider"] != "saml.corp" {
			t.Errorf("%s: the claims are %v, want the attributes %v", c.name, inner, want)
		}
	}
}

// TestLargeSAMLAttributes signs in with attributes of the maximum size. The user's ID token is accepted.
func TestLargeSAMLAttributes(t *testing.T) {
	f := openSAML(t)
	s := f.beginSAML(client, "saml.corp")
	r := f.reply(s)
	r.Attributes = `<saml:Attribute Name="x"><saml:AttributeValue>` + strings.Repeat("x", 32<<10-len(`{"x":""}`)) + `</saml:AttributeValue></saml:Attribute>`
	got, err := f.presentSAML(client, s, r.response())
	if err != nil {
		t.Fatal(err)
	}
	if found, err := f.Lookup(t.Context(), client, &service.LookupRequest{IDToken: &got.IDToken}); err != nil || len(found.Users) != 1 {
		t.Errorf("an ID token of %d bytes: %+v, %v", len(got.IDToken), found, err)
	}
}

// TestSAMLOfATenant signs in with a provider of a tenant, which is not one of the project.
func TestSAMLOfATenant(t *testing.T) {
	f := openSAML(t)
	tenant, err := f.CreateTenant(t.Context(), admin, &service.TenantRequest{Body: map[string]any{"displayName": "corp"}})
	if err != nil {
		t.Fatal(err)
	}
	owner, in := admin, client
	owner.Tenant, in.Tenant = tenant.TenantID, tenant.TenantID
	f.configureSAML(owner, "saml.own", samlConfigOf(theSigner().pem))
	s := f.beginSAML(in, "saml.own")
	got, err := f.presentSAML(in, s, f.reply(s).response())
	if err != nil || got.TenantID != tenant.TenantID {
		t.Fatalf("%+v, %v", got, err)
	}
	if inner, _ := claimsOf(t, got.IDToken)["firebase"].(map[string]any); inner["tenant"] != tenant.TenantID || inner["sign_in_attributes"] == nil {
		t.Errorf("the claims are %v, want the tenant and the attributes", inner)
	}
	// Neither the provider nor its open sign-ins are the project's.
	id, back := "saml.own", redirect
	if _, err := f.CreateAuthURI(t.Context(), client, &service.AuthURIRequest{ProviderID: &id, ContinueURI: &back}); err == nil || !strings.HasPrefix(apierror.Text(err), "OPERATION_NOT_ALLOWED") {
		t.Errorf("in the project: %v, want OPERATION_NOT_ALLOWED", err)
	}
	s = f.beginSAML(in, "saml.own")
	if got, err := f.presentSAML(client, s, f.reply(s).response()); err == nil || !strings.HasPrefix(apierror.Text(err), "INVALID_IDP_RESPONSE") {
		t.Errorf("in the project: %+v, %v", got, err)
	}
}

// TestSAMLLinks links the provider to a signed-in user, refuses it to another one, and decides about the address of an
// account.
func TestSAMLLinks(t *testing.T) {
	f := openSAML(t)
	f.configureSAML(admin, "saml.some", func() map[string]any {
		body := samlConfigOf(theSigner().pem)
		body["emailDomains"] = []any{"other.example"}
		return body
	}())
	signUp := func(email string) (*service.SignUpResponse, *string) {
		password := "secreta1"
		u, err := f.SignUp(t.Context(), client, &service.SignUpRequest{Email: &email, Password: &password})
		if err != nil {
			t.Fatal(err)
		}
		return u, &u.IDToken
	}
	respond := func(id, name string, user *string) (*service.IdpResponse, error) {
		s := f.beginSAML(client, id)
		r := f.reply(s)
		r.NameID = name
		body := url.Values{"SAMLResponse": {base64.StdEncoding.EncodeToString([]byte(r.response()))}, "RelayState": {s.state}}.Encode()
		return f.presentForm(client, s, s.acs, body, user)
	}
	bea, token := signUp("bea@example.com")
	got, err := respond("saml.corp", "bea@corp.example", token)
	if err != nil || got.LocalID != bea.LocalID || got.IsNewUser {
		t.Fatalf("linking: %+v, %v", got, err)
	}
	if got, err := respond("saml.corp", "bea@corp.example", nil); err != nil || got.LocalID != bea.LocalID {
		t.Errorf("signing in with the linked provider: %+v, %v", got, err)
	}
	_, other := signUp("cid@example.com")
	if got, err := respond("saml.corp", "bea@corp.example", other); err != nil || got.ErrorMessage != "FEDERATED_USER_ID_ALREADY_LINKED" {
		t.Errorf("linking it to another user: %+v, %v", got, err)
	}
	if got, err := respond("saml.corp", "bea@example.com", other); err != nil || got.ErrorMessage != "EMAIL_EXISTS" {
		t.Errorf("linking with the address of another user: %+v, %v", got, err)
	}
	// saml.some proves only addresses of other.example.
	if got, err := respond("saml.some", "cid@example.com", nil); err != nil || !got.NeedConfirmation || got.IDToken != "" {
		t.Errorf("with the address of an account that the provider does not prove: %+v, %v", got, err)
	}
	if got, err := respond("saml.some", "dan@Other.example", nil); err != nil || !got.EmailVerified {
		t.Errorf("with an address that the provider proves: %+v, %v", got, err)
	}
}

// samlAttack changes a valid response, or returns a whole one instead.
type samlAttack struct {
	name   string
	change func(f *fixture, s *samlStart, r *samlReply) (whole string)
}

// reply returns an attack that changes the parts of a response before they are signed.
func reply(name string, change func(*fixture, *samlReply)) samlAttack {
	return samlAttack{name, func(f *fixture, _ *samlStart, r *samlReply) string {
		change(f, r)
		return ""
	}}
}

// forged returns an attack that changes a signed response. It gets the signed assertion, and a copy of it without
// signature that is about another user.
func forged(name string, change func(response, genuine, evil *etree.Element)) samlAttack {
	return samlAttack{name, func(_ *fixture, _ *samlStart, r *samlReply) string {
		r.change = func(response *etree.Element) {
			genuine := response.SelectElement("Assertion")
			evil := genuine.Copy()
			evil.RemoveChild(evil.SelectElement("Signature"))
			evil.FindElement(".//NameID").SetText("boss@corp.example")
			change(response, genuine, evil)
		}
		return ""
	}}
}

// wrapped returns an attack on a signed response with an unsigned assertion. It gets the genuine response, and an evil
// copy of it without signature.
func wrapped(name string, change func(genuine, evil *etree.Element)) samlAttack {
	return samlAttack{name, func(_ *fixture, _ *samlStart, r *samlReply) string {
		r.assertionSigner, r.responseSigner = nil, theSigner()
		genuine := element(r.response())
		evil := genuine.Copy()
		evil.CreateAttr("ID", "_evil")
		evil.FindElement(".//NameID").SetText("boss@corp.example")
		change(genuine, evil)
		return text(evil)
	}}
}

// samlAttacks are responses that must be refused with INVALID_IDP_RESPONSE.
var samlAttacks = []samlAttack{
	reply("unsigned", func(_ *fixture, r *samlReply) { r.assertionSigner = nil }),
	reply("another key", func(_ *fixture, r *samlReply) { r.assertionSigner = another() }),
	reply("the certificate has expired", func(_ *fixture, r *samlReply) { r.assertionSigner = outdated() }),
	reply("SHA-1", func(_ *fixture, r *samlReply) { r.method = dsig.RSASHA1SignatureMethod }),
	reply("another audience", func(_ *fixture, r *samlReply) { r.Audience = "https://other.example" }),
	reply("no audience", func(_ *fixture, r *samlReply) { r.WithoutAudience = true }),
	reply("another recipient", func(_ *fixture, r *samlReply) { r.Recipient = "https://other.example/__/auth/handler" }),
	reply("another destination", func(_ *fixture, r *samlReply) { r.Destination = "https://other.example/__/auth/handler" }),
	reply("the response answers another request", func(_ *fixture, r *samlReply) { r.Request = "id-1" }),
	reply("the assertion answers another request", func(_ *fixture, r *samlReply) { r.AssertionRequest = "id-1" }),
	reply("it answers no request", func(_ *fixture, r *samlReply) { r.Request, r.AssertionRequest = "", "" }),
	reply("another issuer", func(_ *fixture, r *samlReply) { r.Issuer = "https://evil.example" }),
	reply("expired", func(f *fixture, r *samlReply) { r.Until = f.clock.Now().Add(-4 * time.Minute) }),
	reply("without an end", func(_ *fixture, r *samlReply) { r.Until = time.Time{} }),
	reply("not valid yet", func(f *fixture, r *samlReply) { r.From = f.clock.Now().Add(4 * time.Minute) }),
	reply("issued long ago", func(f *fixture, r *samlReply) { r.Assertion = f.clock.Now().Add(-4 * time.Minute) }),
	reply("issued in the future", func(f *fixture, r *samlReply) { r.Assertion = f.clock.Now().Add(4 * time.Minute) }),
	reply("nobody signed in", func(_ *fixture, r *samlReply) { r.WithoutAuthn = true }),
	reply("the user refused", func(_ *fixture, r *samlReply) { r.Status = "urn:oasis:names:tc:SAML:2.0:status:Responder" }),
	reply("an id for one sign-in", func(_ *fixture, r *samlReply) { r.Format = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient" }),
	reply("no id", func(_ *fixture, r *samlReply) { r.NameID = " " }),
	reply("a long id", func(_ *fixture, r *samlReply) { r.NameID = strings.Repeat("x", 513) }),
	reply("large attributes", func(_ *fixture, r *samlReply) {
		r.Attributes = `<saml:Attribute Name="x"><saml:AttributeValue>` + strings.Repeat("x", 33<<10) + `</saml:AttributeValue></saml:Attribute>`
	}),
	forged("another id", func(_, genuine, _ *etree.Element) { genuine.FindElement(".//NameID").SetText("boss@corp.example") }),
	forged("a comment in the id", func(_, genuine, _ *etree.Element) {
		id := genuine.FindElement(".//NameID")
		id.SetText("Ann")
		id.AddChild(etree.NewComment("x"))
		id.AddChild(etree.NewText("@Corp.example"))
	}),
	forged("an instruction in the id", func(_, genuine, _ *etree.Element) {
		id := genuine.FindElement(".//NameID")
		id.SetText("Ann@Corp.example")
		id.AddChild(etree.NewProcInst("x", "y"))
	}),
	forged("two signatures", func(_, genuine, _ *etree.Element) {
		genuine.AddChild(genuine.SelectElement("Signature").Copy())
	}),
	forged("the signature of another element", func(response, genuine, _ *etree.Element) {
		response.InsertChildAt(1, genuine.SelectElement("Signature").Copy())
	}),
	forged("a wrapped assertion, before", func(response, genuine, evil *etree.Element) { response.InsertChildAt(genuine.Index(), evil) }),
	forged("a wrapped assertion, after", func(response, _, evil *etree.Element) { response.AddChild(evil) }),
	forged("a wrapped assertion of another id, before", func(response, genuine, evil *etree.Element) {
		evil.CreateAttr("ID", "_evil")
		response.InsertChildAt(genuine.Index(), evil)
	}),
	forged("a wrapped assertion around the genuine one", func(response, genuine, evil *etree.Element) {
		evil.CreateAttr("ID", "_evil")
		response.RemoveChild(genuine)
		evil.AddChild(genuine)
		response.AddChild(evil)
	}),
	forged("a wrapped assertion with the signature", func(response, genuine, evil *etree.Element) {
		signature := genuine.SelectElement("Signature")
		genuine.RemoveChild(signature)
		evil.CreateAttr("ID", "_evil")
		evil.InsertChildAt(1, signature)
		response.AddChild(evil)
	}),
	forged("a wrapped assertion whose signature has the genuine one", func(response, genuine, evil *etree.Element) {
		signature := genuine.SelectElement("Signature")
		genuine.RemoveChild(signature)
		response.RemoveChild(genuine)
		signature.AddChild(genuine)
		evil.CreateAttr("ID", "_evil")
		evil.InsertChildAt(1, signature)
		response.AddChild(evil)
	}),
	forged("a wrapped assertion with the genuine one in an object", func(response, genuine, evil *etree.Element) {
		signature := genuine.SelectElement("Signature").Copy()
		response.RemoveChild(genuine)
		signature.CreateElement("ds:Object").AddChild(genuine)
		evil.CreateAttr("ID", "_evil")
		evil.InsertChildAt(1, signature)
		response.AddChild(evil)
	}),
	forged("a wrapped assertion, the genuine one in extensions", func(response, genuine, evil *etree.Element) {
		response.RemoveChild(genuine)
		response.CreateElement("samlp:Extensions").AddChild(genuine)
		response.AddChild(evil)
	}),
	forged("the same id as the genuine one in extensions", func(response, _, evil *etree.Element) {
		extensions := response.CreateElement("samlp:Extensions")
		extensions.AddChild(evil)
		response.RemoveChild(extensions)
		response.InsertChildAt(1, extensions)
		genuine := response.SelectElement("Assertion")
		genuine.FindElement(".//NameID").SetText("boss@corp.example")
	}),
	wrapped("a response around the genuine one", func(genuine, evil *etree.Element) { evil.SelectElement("Signature").AddChild(genuine) }),
	wrapped("a response beside the genuine one", func(genuine, evil *etree.Element) {
		signature := evil.SelectElement("Signature")
		evil.RemoveChild(signature)
		evil.AddChild(genuine)
		evil.AddChild(signature)
	}),
	wrapped("a response without signature around the genuine one", func(genuine, evil *etree.Element) {
		evil.RemoveChild(evil.SelectElement("Signature"))
		evil.AddChild(genuine)
	}),
	wrapped("an assertion that is added to a signed response", func(_, evil *etree.Element) {
		evil.CreateAttr("ID", "_response")
		evil.AddChild(evil.SelectElement("Assertion").Copy())
	}),
	// A signature does not cover comments, and parsers that ignore what is after one would read boss@corp.example.
	{"a comment that the signature does not cover", func(_ *fixture, _ *samlStart, r *samlReply) string {
		r.NameID = "boss@corp.example.evil.example"
		return strings.Replace(r.response(), r.NameID, "boss@corp.example<!-- x -->.evil.example", 1)
	}},
	{"not XML", func(*fixture, *samlStart, *samlReply) string { return "{}" }},
	{"nothing", func(*fixture, *samlStart, *samlReply) string { return " " }},
	{"entities", func(_ *fixture, _ *samlStart, r *samlReply) string {
		bomb := `<!DOCTYPE lolz [<!ENTITY lol "lol">`
		for i := 1; i <= 9; i++ {
			bomb += fmt.Sprintf(`<!ENTITY lol%d "%s">`, i, strings.Repeat(fmt.Sprintf("&lol%d;", i-1), 10))
		}
		r.NameID = "boss@corp.example"
		return bomb + "]>" + strings.Replace(r.response(), "boss@corp.example", "&lol9;", 1)
	}},
	{"an entity of another file", func(_ *fixture, _ *samlStart, r *samlReply) string {
		return `<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/passwd">]>` + strings.Replace(r.response(), "Ann@Corp.example", "&x;", 1)
	}},
	{"a document type", func(_ *fixture, _ *samlStart, r *samlReply) string { return `<!DOCTYPE x>` + r.response() }},
	{"deep", func(_ *fixture, _ *samlStart, r *samlReply) string {
		const deep = 10_000
		return strings.Replace(r.response(), "<samlp:Status>", strings.Repeat("<a>", deep)+strings.Repeat("</a>", deep)+"<samlp:Status>", 1)
	}},
	{"many namespaces", func(_ *fixture, _ *samlStart, r *samlReply) string {
		var names strings.Builder
		for i := range 3000 {
			fmt.Fprintf(&names, ` xmlns:n%d="urn:n"`, i)
		}
		return strings.Replace(r.response(), "<samlp:Response", "<samlp:Response"+names.String(), 1)
	}},
	{"many elements in the signed part", func(_ *fixture, _ *samlStart, r *samlReply) string {
		return strings.Replace(r.response(), "<saml:AttributeStatement>", "<saml:AttributeStatement>"+strings.Repeat("<b/>", 4000), 1)
	}},
	{"many namespaces in each of many elements", func(_ *fixture, _ *samlStart, r *samlReply) string {
		var names strings.Builder
		for i := range 50 {
			fmt.Fprintf(&names, ` xmlns:n%d="urn:n"`, i)
		}
		text := strings.Replace(r.response(), "<saml:Assertion", "<saml:Assertion"+names.String(), 1)
		return strings.Replace(text, "<saml:AttributeStatement>", "<saml:AttributeStatement>"+strings.Repeat("<b/>", 40_000), 1)
	}},
	{"many signatures", func(_ *fixture, _ *samlStart, r *samlReply) string {
		r.change = func(response *etree.Element) {
			genuine := response.SelectElement("Assertion")
			for range 80 {
				genuine.AddChild(genuine.SelectElement("Signature").Copy())
			}
		}
		return r.response()
	}},
	{"many references", func(_ *fixture, _ *samlStart, r *samlReply) string {
		r.change = func(response *etree.Element) {
			info := response.FindElement("//SignedInfo")
			for range 300 {
				info.AddChild(info.SelectElement("Reference").Copy())
			}
		}
		return r.response()
	}},
	{"1 MB", func(_ *fixture, _ *samlStart, r *samlReply) string { return r.response() + strings.Repeat(" ", 1<<20) }},
}

// TestSAMLAttacks presents forged responses. Each is refused, and a valid one to a new sign-in is accepted after it.
// The memory and the processor time of each are bounded; other programs do not count.
func TestSAMLAttacks(t *testing.T) {
	f := openSAML(t)
	f.configureSAML(admin, "saml.outdated", samlConfigOf(outdated().pem))
	for _, a := range samlAttacks {
		t.Run(a.name, func(t *testing.T) {
			f.t = t
			id := "saml.corp"
			if a.name == "the certificate has expired" {
				id = "saml.outdated"
			}
			s := f.beginSAML(client, id)
			r := f.reply(s)
			whole := a.change(f, s, r)
			if whole == "" {
				whole = r.response()
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := processorTime(t)
			got, err := f.presentSAML(client, s, whole)
			took := processorTime(t) - began
			runtime.ReadMemStats(&after)
			if err == nil || !apierror.Is(err) || !strings.HasPrefix(apierror.Text(err), "INVALID_IDP_RESPONSE") {
				t.Errorf("%+v, %v; want INVALID_IDP_RESPONSE", got, err)
			}
			if err != nil && (strings.Contains(err.Error(), "boss") || strings.Contains(err.Error(), "Ann@")) {
				t.Errorf("the error has a part of the response: %v", err)
			}
			if bytes := after.TotalAlloc - before.TotalAlloc; bytes > maxSAMLMemory || took > maxSAMLTime {
				t.Errorf("it took %v and %d bytes, want at most %v and %d", took, bytes, maxSAMLTime, maxSAMLMemory)
			}
			t.Logf("%v in %v, %d KiB", err, took, (after.TotalAlloc-before.TotalAlloc)>>10)
		})
	}
	f.t = t
	s := f.beginSAML(client, "saml.corp")
	if got, err := f.presentSAML(client, s, f.reply(s).response()); err != nil || got.Email != "Ann@Corp.example" {
		t.Errorf("a valid response after the attacks: %+v, %v", got, err)
	}
}

// processorTime returns the time that the processors have worked for this process.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// The maximum memory and processor time that the refusal of a response may take.
const (
	maxSAMLMemory = 128 << 20
	maxSAMLTime   = 10 * time.Second
)

// TestSAMLSessions presents valid responses where they do not belong: again, in another browser, at another address,
// after ten minutes, without the sign-in's state, and mixed up with other providers.
func TestSAMLSessions(t *testing.T) {
	f := openSAML(t)
	f.configureSAML(admin, "saml.other", samlConfigOf(another().pem))
	form := func(response, state string, more ...string) string {
		v := url.Values{"SAMLResponse": {base64.StdEncoding.EncodeToString([]byte(response))}}
		if state != "" {
			v.Set("RelayState", state)
		}
		for i := 0; i < len(more); i += 2 {
			v.Add(more[i], more[i+1])
		}
		return v.Encode()
	}
	for _, c := range []struct {
		name   string
		change func(s *samlStart, uri, body *string, response string)
	}{
		{"replayed", func(s *samlStart, uri, body *string, _ string) {
			if _, err := f.presentForm(client, s, *uri, *body, nil); err != nil {
				f.t.Fatal(err)
			}
		}},
		{"another session", func(s *samlStart, _, _ *string, _ string) { s.session = "another browser's" }},
		{"no session", func(s *samlStart, _, _ *string, _ string) { s.session = "" }},
		{"another address", func(_ *samlStart, uri, _ *string, _ string) { *uri = "https://evil.example/__/auth/handler" }},
		{"begun at the provider", func(_ *samlStart, _, body *string, response string) { *body = form(response, "") }},
		{"another state", func(_ *samlStart, _, body *string, response string) { *body = form(response, "made up") }},
		{"two states", func(s *samlStart, _, body *string, response string) {
			*body = form(response, s.state, "RelayState", s.state)
		}},
		{"two responses", func(s *samlStart, _, body *string, response string) {
			*body = form(response, s.state, "SAMLResponse", "x")
		}},
		{"another provider in the body", func(s *samlStart, _, body *string, response string) {
			*body = form(response, s.state, "providerId", "saml.other")
		}},
		{"in the query", func(s *samlStart, uri, body *string, response string) {
			*uri, *body = *uri+"?"+form(response, s.state), ""
		}},
		{"as a code", func(s *samlStart, _, body *string, _ string) {
			*body = url.Values{"state": {s.state}, "code": {"x"}}.Encode()
		}},
		{"the state of another kind of provider", func(s *samlStart, _, body *string, response string) {
			session, at := f.begin("oidc.acme")
			s.session = session
			*body = form(response, at.Query().Get("state"))
		}},
		{"the state of another SAML provider", func(s *samlStart, _, body *string, _ string) {
			other := f.beginSAML(client, "saml.other")
			s.session = other.session
			*body = form(f.reply(other).response(), other.state) // signed by saml.corp
		}},
		{"after ten minutes", func(s *samlStart, _, body *string, _ string) {
			f.clock.Advance(10*time.Minute + time.Second)
			*body = form(f.reply(s).response(), s.state)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.t = t
			s := f.beginSAML(client, "saml.corp")
			uri, response := s.acs, f.reply(s).response()
			body := form(response, s.state)
			c.change(s, &uri, &body, response)
			got, err := f.presentForm(client, s, uri, body, nil)
			if err == nil || !apierror.Is(err) || !strings.HasPrefix(apierror.Text(err), "INVALID_") {
				t.Errorf("%+v, %v; want a refusal", got, err)
			}
		})
	}
}

// TestSAMLConfigurations begins sign-ins with configurations that cannot be used.
func TestSAMLConfigurations(t *testing.T) {
	f := openSAML(t)
	with := func(change func(body, idp, sp map[string]any)) map[string]any {
		body := samlConfigOf(theSigner().pem)
		change(body, body["idpConfig"].(map[string]any), body["spConfig"].(map[string]any))
		return body
	}
	for i, c := range []struct {
		name, want string
		body       map[string]any
	}{
		{"a page without https", "OPERATION_NOT_ALLOWED", with(func(_, idp, _ map[string]any) { idp["ssoUrl"] = "http://idp.example" })},
		{"a script as page", "OPERATION_NOT_ALLOWED", with(func(_, idp, _ map[string]any) { idp["ssoUrl"] = "javascript:alert(1)" })},
		{"no page", "OPERATION_NOT_ALLOWED", with(func(_, idp, _ map[string]any) { idp["ssoUrl"] = "/" })},
		{"disabled", "OPERATION_NOT_ALLOWED", with(func(body, _, _ map[string]any) { body["enabled"] = false })},
		{"a callback elsewhere", "INVALID_CONTINUE_URI", with(func(_, _, sp map[string]any) { sp["callbackUri"] = "https://p.firebaseapp.com/__/auth/handler" })},
		{"a callback here", "", with(func(_, _, sp map[string]any) { sp["callbackUri"] = "https://app.example/other/page" })},
		{"a callback with a query", "", with(func(_, _, sp map[string]any) { sp["callbackUri"] = "https://app.example/other/page?b=2&a=1%2F" })},
	} {
		id, back := fmt.Sprintf("saml.c%d", i), redirect
		f.configureSAML(admin, id, c.body)
		got, err := f.CreateAuthURI(t.Context(), client, &service.AuthURIRequest{ProviderID: &id, ContinueURI: &back})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(apierror.Text(err), c.want)) {
			t.Errorf("%s: %+v, %v; want %q", c.name, got, err, c.want)
		}
	}
	for id, want := range map[string]string{"saml.c5": "https://app.example/other/page", "saml.c6": "https://app.example/other/page?b=2&a=1%2F"} {
		s := f.beginSAML(client, id)
		if s.acs != want {
			t.Errorf("the response is to be sent to %s, want %s", s.acs, want)
		}
		if got, err := f.presentSAML(client, s, f.reply(s).response()); err != nil {
			t.Errorf("a response to %s: %+v, %v", want, got, err)
		}
		s = f.beginSAML(client, id)
		body := url.Values{"SAMLResponse": {base64.StdEncoding.EncodeToString([]byte(f.reply(s).response()))}, "RelayState": {s.state}}.Encode()
		if got, err := f.presentForm(client, s, "https://app.example/other/page?b=3", body, nil); err == nil || !strings.Contains(apierror.Text(err), "was not sent to the address") {
			t.Errorf("a response to another query than that of %s: %+v, %v", want, got, err)
		}
	}
}
