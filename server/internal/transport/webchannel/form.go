package webchannel

import (
	"net/http"
	"net/textproto"
	"slices"
	"strconv"
	"strings"

	"clave/server/internal/base/fault"
)

// maxMaps is the maximum number of messages that a request may carry.
const maxMaps = 1000

// maxHeaders is the maximum size of the headers in the body of a handshake, in bytes.
const maxHeaders = 64 << 10

// dataKey is the key under which a message is sent.
const dataKey = "__data__"

// forward is the content of a POST on the forward channel.
type forward struct {
	// headers are the HTTP headers that the body of a handshake contains.
	headers http.Header
	// maps are its messages, in the order of their numbers.
	maps []forwardMap
}

// forwardMap is one message of the client.
type forwardMap struct {
	// id is its number in the session.
	id int
	// data is its JSON.
	data string
}

// parseForward parses the form of a forward request. It returns InvalidArgument.
func parseForward(body string) (*forward, error) {
	f := &forward{}
	count, offset := 0, 0
	for body != "" {
		var pair string
		pair, body, _ = strings.Cut(body, "&")
		name, escaped, _ := strings.Cut(pair, "=")
		text, ok := unescape(escaped)
		if !ok {
			return nil, badForm("a value is not percent-encoded")
		}
		var err error
		switch {
		case name == "count":
			count, err = parseNumber(text)
		case name == "ofs":
			offset, err = parseNumber(text)
		case name == "headers" && len(text) > maxHeaders:
			err = badForm("its headers are too large")
		case name == "headers":
			f.headers = parseHeaders(text)
		case strings.HasPrefix(name, "req"):
			if len(text) == len(escaped) {
				text = strings.Clone(text) // A text without escapes is a part of the body, which it would keep in memory.
			}
			err = f.addMap(name, text)
		}
		if err != nil {
			return nil, err
		}
	}
	if count > maxMaps || len(f.maps) > count {
		return nil, badForm(tooMany)
	}
	// The fields may be in any order: the offset is known and the messages can be sorted only after all fields were read.
	slices.SortFunc(f.maps, func(a, b forwardMap) int { return a.id - b.id })
	for i := range f.maps {
		f.maps[i].id += offset
		if i > 0 && f.maps[i].id == f.maps[i-1].id {
			return nil, badForm("two messages have one number")
		}
	}
	return f, nil
}

// addMap adds the message of one field, req<number>_<key>. Fields with other keys are ignored.
func (f *forward) addMap(name, text string) error {
	number, key, ok := strings.Cut(strings.TrimPrefix(name, "req"), "_")
	if !ok || key != dataKey {
		return nil
	}
	id, err := parseNumber(number)
	if err != nil {
		return err
	}
	if len(f.maps) == maxMaps {
		return badForm(tooMany)
	}
	f.maps = append(f.maps, forwardMap{id: id, data: text})
	return nil
}

// parseNumber parses a non-negative number of limited size.
func parseNumber(s string) (int, error) {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		return 0, badForm("a number is not one")
	}
	return int(n), nil
}

// tooMany is the reason for which a form with too many messages is refused.
const tooMany = "it has more messages than it may"

// badForm returns the error for an invalid form.
func badForm(why string) error { return fault.E(fault.InvalidArgument, "Bad request: %s.", why) }

// parseHeaders parses lines of Name:value.
func parseHeaders(text string) http.Header {
	h := make(http.Header)
	for line := range strings.SplitSeq(text, "\n") {
		name, v, ok := strings.Cut(strings.TrimSuffix(line, "\r"), ":")
		if ok {
			h.Add(textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name)), strings.TrimSpace(v))
		}
	}
	return h
}
