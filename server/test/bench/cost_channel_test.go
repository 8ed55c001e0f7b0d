package bench_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
)

// channel returns a load in which each worker repeats a write on a WebChannel as browsers do: a POST for each message,
// and the response on an open GET. Each worker has its own connections, as browsers do: two, or one with HTTP/2, which
// requires TLS.
func (s *server) channel(t *testing.T, config *tls.Config, http2 bool) costLoad {
	t.Helper()
	return costLoad{s, func() func() error {
		c := s.newChannel(t, config, http2, "Write")
		if err := c.open(); err != nil {
			return func() error { return err }
		}
		return c.write
	}}
}

// channelReads returns a load in which each worker repeats a read on a WebChannel as browsers do: a target of the
// worker's Listen stream is added and, after its first snapshot of a number of documents, removed.
func (s *server) channelReads(t *testing.T, config *tls.Config, target func() string, documents int) costLoad {
	t.Helper()
	s.dialCost(t, config)
	return costLoad{s, func() func() error {
		c := s.newChannel(t, config, false, "Listen")
		id := 0
		return func() error {
			id += 2
			return c.read(id, target(), documents)
		}
	}}
}

// newChannel returns a client with connections of its own for a stream.
func (s *server) newChannel(t *testing.T, config *tls.Config, http2 bool, stream string) *channel {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: config.Clone(), ForceAttemptHTTP2: http2, DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &channel{ctx: t.Context(), client: &http.Client{Transport: transport}, rid: 1000, as: s.authorization(), address: s.origin(config) + channelPath(stream, costDatabase)}
}

// channelPath is the path of a stream's sessions with the parameters common to all requests.
func channelPath(stream, database string) string {
	return "/google.firestore.v1.Firestore/" + stream + "/channel?VER=8&database=" + url.QueryEscape(database)
}

// channel is a client's session of a WebChannel.
type channel struct {
	ctx             context.Context
	as              authorization
	client          *http.Client
	address, sid    string
	token           string
	rid, offset, at int
	back            io.ReadCloser
	lines           *bufio.Reader
}

// Patterns in responses.
var (
	sidPattern   = regexp.MustCompile(`\["c","([^"]+)"`)
	tokenPattern = regexp.MustCompile(`"streamToken":\s*"([^"]*)"`)
	arrayPattern = regexp.MustCompile(`(?:^\[|\],)\[(\d+),`)
)

// chromium lists the headers that Chromium adds to requests of a page from another origin.
var chromium = map[string]string{
	"Sec-Ch-Ua-Platform": `"Linux"`,
	"User-Agent":         "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
	"Sec-Ch-Ua":          `"Google Chrome";v="131", "Chromium";v="131", "Not_A Brand";v="24"`,
	"Sec-Ch-Ua-Mobile":   "?0",
	"Accept":             "*/*",
	"Origin":             "http://localhost:5000",
	"Sec-Fetch-Site":     "same-site",
	"Sec-Fetch-Mode":     "cors",
	"Sec-Fetch-Dest":     "empty",
	"Referer":            "http://localhost:5000/",
	"Accept-Encoding":    "gzip, deflate, br, zstd",
	"Accept-Language":    "en-US,en;q=0.9",
}

// request returns a request of the session, with the headers of a browser.
func (c *channel) request(method, more, body string) (*http.Request, error) {
	const random = "l63cjhmxeu0b"
	address := fmt.Sprintf("%s%s&AID=%d&zx=%s&t=1", c.address, more, c.at, random)
	r, err := http.NewRequestWithContext(c.ctx, method, address, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, value := range chromium {
		r.Header.Set(name, value)
	}
	return r, nil
}

// post sends a message after the given fields of a form.
func (c *channel) post(more, fields, message string) (string, error) {
	c.rid++
	message = strings.ReplaceAll(url.QueryEscape(message), "+", "%20")
	body := fmt.Sprintf("%scount=1&ofs=%d&req0___data__=%s", fields, c.offset, message)
	c.offset++
	r, err := c.request(http.MethodPost, fmt.Sprintf("%s&RID=%d", more, c.rid), body)
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := c.client.Do(r)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("channel: %d %s", res.StatusCode, text)
	}
	return string(text), err
}

// begin begins the session with a first message. As in the SDK, only this request has credentials, in its body.
func (c *channel) begin(message string) error {
	headers := ""
	if strings.HasPrefix(c.address, "http:") {
		headers = "headers=" + url.QueryEscape("Authorization:"+string(c.as)+"\r\n") + "&"
	}
	text, err := c.post("&CVER=22", headers, message)
	if err != nil {
		return err
	}
	sid := sidPattern.FindStringSubmatch(text)
	if sid == nil {
		return fmt.Errorf("channel: %s", text)
	}
	c.sid = sid[1]
	return nil
}

// open begins the session and the stream.
func (c *channel) open() error {
	if err := c.begin(fmt.Sprintf(`{"database":%q}`, costDatabase)); err != nil {
		return err
	}
	return c.await()
}

// write writes a document and waits for the acknowledgement.
func (c *channel) write() error {
	w, err := protojson.Marshal(costWrite())
	if err != nil {
		return err
	}
	if _, err := c.post("&SID="+c.sid, "", fmt.Sprintf(`{"streamToken":%q,"writes":[%s]}`, c.token, w)); err != nil {
		return err
	}
	return c.await()
}

// read adds a target, waits for its first snapshot of a number of documents, removes it, and waits until it is removed.
func (c *channel) read(id int, target string, documents int) error {
	if err := c.send(fmt.Sprintf(`{"database":%q,"addTarget":{"targetId":%d,%s}}`, costDatabase, id, target)); err != nil {
		return err
	}
	received, refused := 0, ""
	err := c.until(func(text string) bool {
		received += strings.Count(text, `"documentChange"`)
		if strings.Contains(text, `"REMOVE"`) {
			refused = text
		}
		return refused != "" || snapshotPattern.MatchString(text)
	})
	if err == nil && (refused != "" || received != documents) {
		err = fmt.Errorf("channel: %d documents, want %d: %s", received, documents, refused)
	}
	if err == nil {
		err = c.send(fmt.Sprintf(`{"database":%q,"removeTarget":%d}`, costDatabase, id))
	}
	if err == nil {
		err = c.until(func(text string) bool { return strings.Contains(text, `"REMOVE"`) })
	}
	return err
}

// send sends a message, which begins the session if it is the first.
func (c *channel) send(message string) error {
	if c.sid == "" {
		return c.begin(message)
	}
	_, err := c.post("&SID="+c.sid, "", message)
	return err
}

// await reads the back channel until the next response of the stream.
func (c *channel) await() error {
	return c.until(func(text string) bool {
		token := tokenPattern.FindStringSubmatch(text)
		if token != nil {
			c.token = token[1]
		}
		return token != nil
	})
}

// until reads the back channel until a chunk for which reached returns true, or an error.
func (c *channel) until(reached func(text string) bool) error {
	for {
		text, err := c.chunk()
		if err != nil {
			return err
		}
		for _, m := range arrayPattern.FindAllStringSubmatch(text, -1) {
			c.at, _ = strconv.Atoi(m[1])
		}
		if reached(text) {
			return nil
		}
		if strings.Contains(text, `"error"`) {
			return errors.New(text)
		}
	}
}

// chunk returns the next chunk of the back channel, which contains only ASCII here. It opens the back channel if none
// is open.
func (c *channel) chunk() (string, error) {
	for tries := 0; tries < 3; tries++ {
		if c.back == nil {
			r, err := c.request(http.MethodGet, fmt.Sprintf("&SID=%s&RID=rpc&CI=0&TYPE=xmlhttp", c.sid), "")
			if err != nil {
				return "", err
			}
			res, err := c.client.Do(r)
			if err != nil {
				return "", err
			}
			c.back, c.lines = res.Body, bufio.NewReader(res.Body)
		}
		line, err := c.lines.ReadString('\n')
		n, bad := strconv.Atoi(strings.TrimSpace(line))
		if err == nil && bad == nil {
			text := make([]byte, n)
			if _, err = io.ReadFull(c.lines, text); err == nil {
				return string(text), nil
			}
		}
		_ = c.back.Close()
		c.back = nil
	}
	return "", errors.New("channel: the back channel gives nothing")
}

// bareChannels answers requests of Write streams with the bytes that Clave sends, without any other work.
type bareChannels struct {
	// sessions maps a session's id to a chan int: the numbers of the arrays to send.
	sessions sync.Map
	begun    atomic.Int64
}

// ServeHTTP begins a session, accepts a message, or keeps the response to a GET open and writes one response of the
// stream for each message.
func (b *bareChannels) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, value := range map[string]string{
		"Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff", "Cache-Control": "private, max-age=0, no-store",
		"X-Accel-Buffering": "no", "Access-Control-Allow-Origin": r.Header.Get("Origin"), "Access-Control-Allow-Credentials": "true",
		"Access-Control-Expose-Headers": "x-client-wire-protocol, x-http-session-id, x-http-initial-response, retry-after", "Vary": "Origin",
	} {
		w.Header().Set(name, value)
	}
	q := r.URL.Query()
	id := q.Get("SID")
	arrays, found := b.sessions.Load(id)
	switch {
	case id == "":
		id = fmt.Sprintf("%022d", b.begun.Add(1))
		arrays := make(chan int, 10)
		arrays <- 1
		b.sessions.Store(id, arrays)
		writeChunk(w, fmt.Sprintf(`[[0,["c",%q,"",8,15,30000]]]`, id))
	case !found:
		http.Error(w, "Unknown SID", http.StatusBadRequest)
	case r.Method == http.MethodGet:
		b.back(w, r, arrays.(chan int))
	default:
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		have, _ := strconv.Atoi(q.Get("AID"))
		arrays.(chan int) <- have + 1
		writeChunk(w, fmt.Sprintf("[1,%d,0]", have))
	}
}

// back sends the arrays of a session until its client disconnects.
func (b *bareChannels) back(w http.ResponseWriter, r *http.Request, arrays chan int) {
	const date = "2026-11-23T08:18:32.123456Z"
	for {
		select {
		case <-r.Context().Done():
			return
		case n := <-arrays:
			writeChunk(w, fmt.Sprintf(`[[%d,[{"streamToken":"MTIzNDU=","writeResults":[{"updateTime":%q}],"commitTime":%q}]]]`, n, date, date))
			if http.NewResponseController(w).Flush() != nil {
				return
			}
		}
	}
}

// writeChunk writes an ASCII text after its length. An error ends the connection, which ends the request.
func writeChunk(w http.ResponseWriter, text string) {
	_, _ = io.WriteString(w, strconv.Itoa(len(text))+"\n"+text)
}
