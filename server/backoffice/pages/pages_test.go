package pages_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"html"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"clave/server/backoffice/pages"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
)

// builtPage is a short version of a page written by scripts/build.mjs.
const builtPage = `<!doctype html><head><script src="/assets/index-1.js"></script>
<!--evento {"url":"https://www.example.org","name":"Fundación","parts":{
"title":"<h1>{{title}}</h1>","longTitle":"<h1 class=\"small\">{{title}}</h1>",
"when":"<p>{{when}}</p>","whenOver":"<p>{{when}} over</p>","whenNamed":"<p>{{weekday}} {{when}}</p>","whenNamedOver":"<p>{{weekday}} {{when}} over</p>",
"actionsComing":"<a href=\"{{calendarLink}}\">add</a>","actionsOver":"<a>next ones</a>","actionsUndated":"<a>undated</a>",
"picture":"<img src=\"{{image}}\" alt=\"{{imageAlt}}\">","uploadedPicture":"<img src=\"{{image}}\" srcset=\"{{srcSet}}\" width=\"{{width}}\" height=\"{{height}}\">",
"place":"<dd>{{place}}</dd><a href=\"{{mapLink}}\">map</a>","noPlace":"<dd>no place</dd>","price":"<dd>{{price}}</dd>","artist":"<dd>{{artist}}</dd>",
"description":"<div>{{description}}</div>"},
"drawings":{"evento-1":"<img src=\"/one.svg\">","evento-2":"<img src=\"/two.svg\">"},
"choice":{"words":[{"slot":"evento-2","pattern":"cancion|bolero"}],"slots":["evento-1"]}}-->
<title>Evento</title><meta name="robots" content="index,follow" />
<!--/evento-->
<link rel="icon" href="/favicon.svg" /></head><body><div id="raiz">{{title}}{{when}}{{actions}}{{picture}}<dl>{{facts}}</dl>{{description}}</div></body>`

// unfilledPage is the page of events that cannot be read.
const unfilledPage = `<div id="raiz"></div>`

// builtSite returns the files of a built site that the handler reads.
func builtSite() fstest.MapFS {
	return fstest.MapFS{
		"eventos/plantilla-completa.html": {Data: []byte(builtPage)},
		"eventos/plantilla.html":          {Data: []byte(unfilledPage)},
		"boletin/plantilla.html":          {Data: []byte("<main><!--baja--></main>")},
		"404.html":                        {Data: []byte("<h1>Página no encontrada</h1>")},
		"sitemap-paginas.xml":             {Data: []byte("<urlset>\n  <url><loc>https://www.example.org/</loc></url>\n</urlset>\n")},
	}
}

// store is a Store with documents in memory.
type store struct {
	events map[string]map[string]any
	listed []pages.Listed
	err    error
	lists  int
}

func (s *store) Event(_ context.Context, id string) (map[string]any, error) {
	return s.events[id], s.err
}

func (s *store) Published(context.Context, int) ([]pages.Listed, error) {
	s.lists++
	return s.listed, s.err
}

// slowStore is a Store whose lists end only when they are released.
type slowStore struct {
	store
	// listing receives a value for each list that begins. Closing release ends the lists.
	listing chan struct{}
	release chan struct{}
}

func (s *slowStore) Published(ctx context.Context, limit int) ([]pages.Listed, error) {
	s.listing <- struct{}{}
	<-s.release
	return s.store.Published(ctx, limit)
}

// gala returns an event with all fields.
func gala() map[string]any {
	return map[string]any{
		"title": "Gala de son", "description": "Primera línea.\nSegunda línea.", "location": "Teatro Nacional", "featuredArtist": "Ana",
		"price": int64(1500), "date": "2027-09-05", "time": "19:30", "eventDate": time.Date(2027, 9, 5, 23, 30, 0, 0, time.UTC),
		"isPublished": true, "imageUrl": "/fotos/gala.jpg",
	}
}

// newHandler returns a handler that reads a store.
func newHandler(t *testing.T, s *store, log *slog.Logger, c clock.Clock) http.Handler {
	t.Helper()
	h, err := pages.Handler(pages.Options{Site: builtSite(), Store: s, Subscriptions: &subscriptions{}, Pictures: photos{}, Log: log, Clock: c})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// get requests a path.
func get(h http.Handler, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// dataOf returns a page's structured data.
func dataOf(t *testing.T, page string) map[string]any {
	t.Helper()
	found := regexp.MustCompile(`(?s)<script type="application/ld\+json" id="datos-evento">(.*?)</script>`).FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("no structured data in %s", page)
	}
	data := make(map[string]any)
	if err := json.Unmarshal([]byte(found[1]), &data); err != nil {
		t.Fatalf("%s: %v", found[1], err)
	}
	return data
}

func TestEventPageMetadata(t *testing.T) {
	manual := clocktest.NewManual(time.Date(2027, 9, 1, 18, 0, 0, 0, time.UTC))
	h := newHandler(t, &store{events: map[string]map[string]any{"gala": gala()}}, nil, manual)
	got := get(h, "/eventos/gala")
	page := html.UnescapeString(got.Body.String())
	for _, want := range []string{
		`<script src="/assets/index-1.js">`, `<link rel="icon"`,
		`<title>Gala de son · Evento</title>`,
		`<meta name="description" content="05 SEP 2027 • 19:30. Primera línea. Segunda línea." />`,
		`<meta name="robots" content="index,follow" />`,
		`<link rel="canonical" href="https://www.example.org/eventos/gala" />`,
		`<meta property="og:title" content="Gala de son · Evento" />`,
		`<meta property="og:url" content="https://www.example.org/eventos/gala" />`,
		`<meta property="og:image" content="https://www.example.org/fotos/gala.jpg" />`,
		`<meta property="og:site_name" content="Fundación" />`,
		"<h1>Gala de son</h1><p>domingo 05 SEP 2027 • 19:30</p>",
		`<img src="/fotos/gala.jpg" alt="Gala de son"><dl><dd>Teatro Nacional</dd>` +
			`<a href="https://www.google.com/maps/search/?api=1&query=Teatro%20Nacional">map</a><dd>RD$1,500.00</dd><dd>Ana</dd></dl>`,
		"<div>Primera línea.\nSegunda línea.</div>",
		`<a href="https://calendar.google.com/calendar/render?action=TEMPLATE&text=Gala%20de%20son&dates=20270905T233000Z/20270906T013000Z` +
			`&details=Primera%20l%C3%ADnea.%0ASegunda%20l%C3%ADnea.&location=Teatro%20Nacional">add</a>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page misses %s:\n%s", want, page)
		}
	}
	if strings.Contains(page, "og:image:width") || strings.Contains(page, "<!--evento") || strings.Contains(page, "{{") || strings.Count(page, "<title>") != 1 {
		t.Errorf("the page has what it must not have:\n%s", page)
	}
	data := dataOf(t, got.Body.String())
	offer, _ := data["offers"].(map[string]any)
	if data["startDate"] != "2027-09-05T19:30:00-04:00" || data["image"] != "https://www.example.org/fotos/gala.jpg" || offer["price"] != 1500.0 {
		t.Errorf("structured data: %v", data)
	}
	if got.Code != 200 || got.Header().Get("Cache-Control") != "public, max-age=60" || !strings.HasPrefix(got.Header().Get("Content-Type"), "text/html") {
		t.Errorf("answer: %d %v", got.Code, got.Header())
	}
	if again := get(h, "/eventos/gala", "If-None-Match", got.Header().Get("ETag")); again.Code != 304 || again.Body.Len() != 0 {
		t.Errorf("requested again: %d %s, want 304", again.Code, again.Body)
	}
}

func TestAnEventWithoutFields(t *testing.T) {
	tests := []struct {
		name   string
		fields map[string]any
		want   []string
	}{
		{"nothing", map[string]any{}, []string{"<title>Evento</title>", `content="—. Fundación"`, "/ilustraciones/og-evento-1.png", `og:image:width" content="1200"`}},
		{"wrong types", map[string]any{"title": 1, "price": "x", "eventDate": "x", "imageUrl": 3.0}, []string{"<title>Evento</title>"}},
		{"a moment alone", map[string]any{"title": "A", "eventDate": time.Date(2027, 1, 1, 2, 5, 0, 0, time.UTC)}, []string{"31 DIC 2026 • 22:05. Fundación"}},
		{"an invalid date", map[string]any{"title": "A", "date": "2027-02-30", "time": "19:30"}, []string{`content="—. Fundación"`}},
		{"an invalid time", map[string]any{"title": "A", "date": "2027-02-28", "time": "7 pm"}, []string{`content="28 FEB 2027. Fundación"`}},
		{"free of charge", map[string]any{"title": "A", "price": 0.0}, []string{">Gratis<", "<p>—</p><a>undated</a>", "<dd>no place</dd>"}},
		{"a script for a picture", map[string]any{"title": "A", "imageUrl": "javascript:alert(1)"}, []string{"/ilustraciones/og-evento-1.png"}},
		{"a picture of data", map[string]any{"title": "A", "imageUrl": "data:image/png;base64,AA=="}, []string{"/ilustraciones/og-evento-1.png"}},
		{"a picture elsewhere", map[string]any{"title": "A", "imageUrl": "https://a.example/b.jpg"}, []string{`"og:image" content="https://a.example/b.jpg"`}},
		{"words of a drawing", map[string]any{"title": "La CANCIÓN"}, []string{"/ilustraciones/og-evento-2.png", `<img src="/two.svg">`}},
		{"an uploaded picture", map[string]any{"title": "A", "imageUrl": "/imagenes/a1-1200x800/960.webp"}, []string{
			`"og:image" content="https://www.example.org/imagenes/a1-1200x800/compartir.jpg"`,
			`srcset="/imagenes/a1-1200x800/480.webp 480w, /imagenes/a1-1200x800/960.webp 960w" width="1200" height="800"`,
		}},
		{"an event that is over", map[string]any{"title": "A", "eventDate": time.Date(2020, 1, 1, 2, 5, 0, 0, time.UTC)}, []string{
			"<p>martes 31 DIC 2019 • 22:05 over</p><a>next ones</a>", `{"event":{"artist":"","date":"31 DIC 2019"`, `"over":true`,
		}},
		{"a date of its own", map[string]any{"title": "A", "date": "2027-01-02", "eventDate": time.Date(2090, 1, 1, 2, 5, 0, 0, time.UTC)}, []string{"<p>02 ENE 2027 • 22:05</p>"}},
		{"the mark of a value", map[string]any{"title": "{{place}}", "description": "{{facts}}{{title}}"}, []string{"<h1>{{place}}</h1>", "<div>{{facts}}{{title}}</div>"}},
		{"a long title", map[string]any{"title": strings.Repeat("ñ", 90)}, []string{"<title>" + strings.Repeat("ñ", 56) + " · Evento</title>"}},
	}
	for _, tt := range tests {
		h := newHandler(t, &store{events: map[string]map[string]any{"a": tt.fields}}, nil, nil)
		got := get(h, "/eventos/a")
		dataOf(t, got.Body.String())
		for _, want := range tt.want {
			if !strings.Contains(html.UnescapeString(got.Body.String()), want) {
				t.Errorf("%s: the page misses %s:\n%s", tt.name, want, got.Body)
			}
		}
	}
}

// TestStoredMarkupIsEscaped checks that no field of an event becomes markup, in any place of a page.
func TestStoredMarkupIsEscaped(t *testing.T) {
	const attack = `"></title></script></noscript><script>alert(1)</script><!--`
	fields := maps.Clone(gala())
	for _, name := range []string{"title", "description", "location", "featuredArtist", "imageUrl", "date", "time"} {
		fields[name] = attack
	}
	h := newHandler(t, &store{events: map[string]map[string]any{attack: fields}}, nil, nil)
	got := get(h, "/eventos/"+strings.NewReplacer("<", "%3C", ">", "%3E", `"`, "%22", "/", "-").Replace(attack))
	if got.Code != 404 {
		t.Fatalf("another name: %d", got.Code)
	}
	h = newHandler(t, &store{events: map[string]map[string]any{"a": fields}}, nil, nil)
	page := get(h, "/eventos/a").Body.String()
	if strings.Contains(page, "<script>alert") || strings.Contains(page, "</noscript>") || strings.Count(page, "</title>") != 1 || strings.Count(page, "</script>") != 3 {
		t.Errorf("the page has markup of the event's:\n%s", page)
	}
	if dataOf(t, page)["name"] != attack {
		t.Errorf("structured data have %v", dataOf(t, page)["name"])
	}
}

func TestPagesOfMissingEvents(t *testing.T) {
	hidden := gala()
	hidden["isPublished"] = false
	h := newHandler(t, &store{events: map[string]map[string]any{"hidden": hidden, "__x__": gala(), "a/b": gala()}}, nil, nil)
	for _, path := range []string{
		"/eventos/none", "/eventos/hidden", "/eventos/__x__", "/eventos/a%2Fb", "/eventos/%FF", "/eventos/" + strings.Repeat("a", 1501), "/eventos/",
	} {
		got := get(h, path)
		if got.Code != 404 || !strings.Contains(got.Body.String(), "Página no encontrada") || got.Header().Get("Cache-Control") != "no-cache" {
			t.Errorf("%.40s: %d %v %s", path, got.Code, got.Header(), got.Body)
		}
	}
}

func TestAStoreThatFails(t *testing.T) {
	var log bytes.Buffer
	h := newHandler(t, &store{err: errors.New("the disk is away")}, slog.New(slog.NewTextHandler(&log, nil)), nil)
	for path, want := range map[string]string{"/eventos/gala": unfilledPage, "/sitemap.xml": "<loc>https://www.example.org/</loc>"} {
		got := get(h, path)
		if got.Code != 200 || !strings.Contains(got.Body.String(), want) || got.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %v %s, want the built file, kept nowhere", path, got.Code, got.Header(), got.Body)
		}
	}
	if strings.Count(log.String(), "the disk is away") != 2 {
		t.Errorf("the log is %s", &log)
	}
}

func TestSitemap(t *testing.T) {
	manual := clocktest.NewManual(time.Date(2027, 9, 15, 18, 0, 0, 0, time.UTC))
	s := &store{listed: []pages.Listed{{ID: "año & más"}, {ID: "gala", Updated: time.Date(2027, 9, 1, 0, 0, 0, 0, time.UTC)}}}
	h := newHandler(t, s, nil, manual)
	for range 3 {
		got := get(h, "/sitemap.xml").Body.String()
		for _, want := range []string{
			"<loc>https://www.example.org/</loc>",
			"<loc>https://www.example.org/eventos/a%C3%B1o%20&amp;%20m%C3%A1s</loc></url>",
			"<loc>https://www.example.org/eventos/gala</loc><lastmod>2027-09-01T00:00:00Z</lastmod>",
		} {
			if !strings.Contains(got, want) {
				t.Fatalf("the sitemap misses %s:\n%s", want, got)
			}
		}
	}
	if s.lists != 1 {
		t.Errorf("three requests read the store %d times, want once", s.lists)
	}
	manual.Advance(5 * time.Minute)
	if get(h, "/sitemap.xml"); s.lists != 2 {
		t.Errorf("five minutes later the store was read %d times, want twice", s.lists)
	}
}

func TestASiteOfAnotherBuildIsRefused(t *testing.T) {
	for name, change := range map[string]func(fstest.MapFS){
		"no page":          func(f fstest.MapFS) { delete(f, "eventos/plantilla-completa.html") },
		"no unfilled page": func(f fstest.MapFS) { delete(f, "eventos/plantilla.html") },
		"a part less": func(f fstest.MapFS) {
			f["eventos/plantilla-completa.html"].Data = bytes.ReplaceAll([]byte(builtPage), []byte(`"noPlace"`), []byte(`"nowhere"`))
		},
		"no drawings": func(f fstest.MapFS) {
			f["eventos/plantilla-completa.html"].Data = bytes.ReplaceAll([]byte(builtPage), []byte(`["evento-1"]`), []byte("[]"))
		},
		"no marks": func(f fstest.MapFS) { f["eventos/plantilla-completa.html"] = &fstest.MapFile{Data: []byte("<html>")} },
		"no address": func(f fstest.MapFS) {
			f["eventos/plantilla-completa.html"].Data = bytes.ReplaceAll([]byte(builtPage), []byte("https://www.example.org"), nil)
		},
		"no 404 page":      func(f fstest.MapFS) { delete(f, "404.html") },
		"no unsubscribing": func(f fstest.MapFS) { delete(f, "boletin/plantilla.html") },
		"no static map":    func(f fstest.MapFS) { delete(f, "sitemap-paginas.xml") },
		"facts not JSON": func(f fstest.MapFS) {
			f["eventos/plantilla-completa.html"].Data = bytes.ReplaceAll([]byte(builtPage), []byte(`{"url"`), []byte("{"))
		},
	} {
		site := builtSite()
		change(site)
		if _, err := pages.Handler(pages.Options{Site: site, Store: &store{}}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// subscriptions are Subscriptions in memory, by token.
type subscriptions struct {
	emails map[string]string
	err    error
	gone   []string
	// joined are the addresses that were confirmed.
	joined []string
}

func (s *subscriptions) Subscriber(token string) (string, error) {
	if email, ok := s.emails[token]; ok {
		return email, nil
	}
	return "", fault.E(fault.InvalidArgument, "invalid")
}

func (s *subscriptions) Unsubscribe(_ context.Context, token string) error {
	if s.err == nil {
		s.gone = append(s.gone, s.emails[token])
	}
	return s.err
}

func (s *subscriptions) Confirming(token string) (string, error) { return s.Subscriber(token) }

func (s *subscriptions) Confirm(_ context.Context, token string) error {
	if s.err == nil {
		s.joined = append(s.joined, s.emails[token])
	}
	return s.err
}

func TestUnsubscribe(t *testing.T) {
	s := &subscriptions{emails: map[string]string{"good": "<b>@correo.do"}}
	h, err := pages.Handler(pages.Options{Site: builtSite(), Store: &store{}, Subscriptions: s, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	check := func(method, path string, status int, want string) {
		t.Helper()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader("List-Unsubscribe=One-Click")))
		if w.Code != status || !strings.Contains(w.Body.String(), want) || w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s %s: %d %v %s, want %d %q", method, path, w.Code, w.Header(), w.Body, status, want)
		}
	}
	check("GET", "/boletin/baja?t=good", 200, "recibir el boletín en &lt;b&gt;@correo.do?")
	if len(s.gone) != 0 {
		t.Fatalf("a GET unsubscribed %v", s.gone)
	}
	for range 2 {
		check("POST", "/boletin/baja?t=good", 200, "Listo: ya no recibirás el boletín.")
	}
	for _, method := range []string{"GET", "POST"} {
		check(method, "/boletin/baja?t=bad", 404, "Este enlace no es válido")
		check(method, "/boletin/baja", 404, "Este enlace no es válido")
	}
	check("GET", "/boletin/confirmar?t=good", 200, "¿Quieres recibir el boletín en &lt;b&gt;@correo.do?")
	if len(s.joined) != 0 {
		t.Fatalf("a GET confirmed %v", s.joined)
	}
	check("POST", "/boletin/confirmar?t=good", 200, "¡Gracias! Tu suscripción al boletín quedó confirmada.")
	check("POST", "/boletin/confirmar?t=bad", 404, "Este enlace no es válido o ya venció.")
	s.err = errors.New("the disk is away")
	check("POST", "/boletin/confirmar?t=good", 503, "No pudimos confirmar tu suscripción.")
	check("POST", "/boletin/baja?t=good", 503, "No pudimos darte de baja.")
	if !slices.Equal(s.joined, []string{"<b>@correo.do"}) {
		t.Errorf("confirmed: %v", s.joined)
	}
	if len(s.gone) != 2 {
		t.Errorf("unsubscribed: %v", s.gone)
	}
}

// TestSitemapsShareAReading requests the sitemap several times while the store is slow. A cancelled request must return
// at once; one read must serve the others.
func TestSitemapsShareAReading(t *testing.T) {
	s := &slowStore{store: store{listed: []pages.Listed{{ID: "gala"}}}, listing: make(chan struct{}, 10), release: make(chan struct{})}
	h, err := pages.Handler(pages.Options{Site: builtSite(), Store: s, Subscriptions: &subscriptions{}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	request := func(ctx context.Context) <-chan string {
		served := make(chan string, 1)
		go func() {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/sitemap.xml", nil))
			served <- w.Body.String()
		}()
		return served
	}
	first := request(t.Context())
	<-s.listing
	left, leave := context.WithCancel(t.Context())
	leave()
	select {
	case <-request(left):
	case <-time.After(30 * time.Second):
		t.Fatal("a cancelled request waits for the store")
	}
	close(s.release)
	if got := <-first; !strings.Contains(got, "/eventos/gala<") {
		t.Errorf("the sitemap misses the event:\n%s", got)
	}
	if got := <-request(t.Context()); !strings.Contains(got, "/eventos/gala<") {
		t.Errorf("the second sitemap misses the event:\n%s", got)
	}
	if s.lists != 1 {
		t.Errorf("%d lists, want 1", s.lists)
	}
}

// TestPagesAreCompressed requires gzip for clients that accept it, and the same page for others.
func TestPagesAreCompressed(t *testing.T) {
	h := newHandler(t, &store{events: map[string]map[string]any{"gala": gala()}}, nil, clocktest.NewManual(time.Date(2027, 9, 1, 18, 0, 0, 0, time.UTC)))
	plain := get(h, "/eventos/gala")
	for header, want := range map[string]string{
		"": "", "br": "", "gzip;q=0": "", "gzip; q=0.000": "", "gzip": "gzip", "br, GZIP;q=0.5": "gzip", "x-gzip": "",
	} {
		got := get(h, "/eventos/gala", "Accept-Encoding", header)
		var body io.Reader = got.Body
		if want == "gzip" {
			zr, err := gzip.NewReader(got.Body)
			if err != nil {
				t.Fatal(err)
			}
			body = zr
		}
		text, err := io.ReadAll(body)
		if err != nil || string(text) != plain.Body.String() || got.Header().Get("Content-Encoding") != want || got.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%q: %v, %v, %.80s", header, got.Header(), err, text)
		}
	}
	if again := get(h, "/eventos/gala", "Accept-Encoding", "gzip", "If-None-Match", plain.Header().Get("ETag")); again.Code != 304 || again.Header().Get("Content-Encoding") != "" {
		t.Errorf("requested again: %d %v", again.Code, again.Header())
	}
}
