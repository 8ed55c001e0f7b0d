package rest_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// readTime differs between two responses.
var readTime = regexp.MustCompile(`,"readTime":"[^"]*"`)

// A response is compressed for clients that accept gzip, if it is larger than a packet, and sent at once.
func TestResponsesArePacked(t *testing.T) {
	s := newServer(t)
	for _, id := range []string{"a", "b", "c", "d"} {
		send(t, s, "PATCH", "/some/"+id, `{"fields":{"text":{"stringValue":"`+strings.Repeat("música ", 100)+`"}}}`)
		send(t, s, "PATCH", "/many/"+id, `{"fields":{"text":{"stringValue":"`+strings.Repeat("música ", 1000)+`"}}}`)
	}
	send(t, s, "PATCH", "/few/a", `{"fields":{}}`)
	query := func(collection string) string {
		return `{"structuredQuery":{"from":[{"collectionId":"` + collection + `"}]}}`
	}
	for _, tt := range []struct {
		accepted, collection, encoding string
	}{
		{"gzip", "some", "gzip"},
		{"br, GZIP;q=0.5", "some", "gzip"},
		{"gzip; q=1", "some", "gzip"},
		{"", "some", ""},
		{"identity", "some", ""},
		{"br, gzip;q=0", "some", ""},
		{"gzip; q=0.00", "some", ""},
		{"gzip", "few", ""},
		{"gzip", "many", ""}, // It begins before it is complete.
	} {
		_, _, plain := send(t, s, "POST", ":runQuery", query(tt.collection))
		want := readTime.ReplaceAllString(plain, "")
		encoding, vary, size, text := sendAccepting(t, s.URL, tt.accepted, query(tt.collection))
		text = readTime.ReplaceAllString(text, "")
		if encoding != tt.encoding || text != want {
			t.Errorf("%s accepting %q: encoding %q, %d bytes, other text: %t; want %q", tt.collection, tt.accepted, encoding, size, text != want, tt.encoding)
		}
		if encoding == "gzip" && (size >= len(want)/2 || vary != "Accept-Encoding") {
			t.Errorf("%s accepting %q: %d bytes of %d, Vary %q", tt.collection, tt.accepted, size, len(want), vary)
		}
	}
}

// sendAccepting sends a query and returns the response's encoding, its header Vary, its size on the wire and its text.
func sendAccepting(t testing.TB, url, accepted, query string) (encoding, vary string, size int, text string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/"+docs+":runQuery", strings.NewReader(query))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer owner")
	req.Header.Set("Accept-Encoding", accepted) // Set by hand, it is not undone by the client.
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	sent, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	h := res.Header
	if h.Get("Content-Encoding") == "" {
		return "", h.Get("Vary"), len(sent), string(sent)
	}
	z, err := gzip.NewReader(strings.NewReader(string(sent)))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return h.Get("Content-Encoding"), h.Get("Vary"), len(sent), string(plain)
}

// BenchmarkQuery reads 20 documents of 300 bytes with and without compression.
func BenchmarkQuery(b *testing.B) {
	s := newServer(b)
	for i := range 20 {
		send(b, s, "PATCH", "/c/"+string(rune('a'+i)), `{"fields":{"text":{"stringValue":"`+strings.Repeat("música ", 40)+`"}}}`)
	}
	for _, accepted := range []string{"identity", "gzip"} {
		b.Run(accepted, func(b *testing.B) {
			for b.Loop() {
				_, _, size, _ := sendAccepting(b, s.URL, accepted, `{"structuredQuery":{"from":[{"collectionId":"c"}]}}`)
				b.ReportMetric(float64(size), "bytes/response")
			}
		})
	}
}
