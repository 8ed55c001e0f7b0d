package pages

import (
	"math"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// zone is the foundation's time zone, America/Santo_Domingo: four hours behind UTC all year.
var zone = time.FixedZone("AST", -4*60*60)

// months are the abbreviations of months that the site uses.
var months = [...]string{"ENE", "FEB", "MAR", "ABR", "MAY", "JUN", "JUL", "AGO", "SEP", "OCT", "NOV", "DIC"}

// event is an event as visitors see it. Fields are empty where the stored event has no valid value: older records lack
// some fields. frontend/src/lib/read-event.ts reads events by the same rules.
type event struct {
	id          string
	title       string
	description string
	place       string
	artist      string
	// price is nil if there is none.
	price *float64
	// image is an absolute or relative http(s) address.
	image string
	// alt is the image's alternative text.
	alt string
	// start is zero if the event has no time.
	start time.Time
	// date and hour are shown: "05 SEP 2025" and "19:30".
	date, hour string
}

// readEvent reads a stored event. It reports false for one that is not published.
func readEvent(id string, fields map[string]any) (event, bool) {
	if published, ok := fields["isPublished"].(bool); ok && !published {
		return event{}, false
	}
	text := func(name string) string {
		s, _ := fields[name].(string)
		return strings.TrimSpace(strings.ToValidUTF8(s, ""))
	}
	e := event{
		id: id, title: text("title"), description: text("description"), place: text("location"),
		artist: text("featuredArtist"), price: number(fields["price"]), image: webAddress(text("imageUrl")), alt: text("imageAlt"),
	}
	if start, ok := fields["eventDate"].(time.Time); ok {
		e.start = start.In(zone)
	}
	e.date, e.hour = shownTime(text("date"), text("time"), e.start)
	return e, true
}

// number returns a finite number, or nil.
func number(value any) *float64 {
	var n float64
	switch v := value.(type) {
	case int64:
		n = float64(v)
	case float64:
		n = v
	default:
		return nil
	}
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return nil
	}
	return &n
}

// webAddress returns a text if it is an http(s) or relative address, and "" otherwise.
func webAddress(text string) string {
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https") {
		return ""
	}
	return text
}

// shared returns the address of the image for link previews, for which messengers need JPEG.
func (e *event) shared() string {
	if match := uploaded.FindStringSubmatch(e.image); match != nil {
		return match[1] + "compartir.jpg"
	}
	return e.image
}

// shownTime returns the date and time that are shown: the record's texts, or those of its time if it has none. A wrong
// date has no time either.
func shownTime(date, hour string, start time.Time) (day, clock string) {
	if date == "" && !start.IsZero() {
		date = start.Format(time.DateOnly)
	}
	if hour == "" && !start.IsZero() {
		hour = start.Format("15:04")
	}
	at, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return "", ""
	}
	day = shownDay(at)
	if _, err := time.Parse("15:04", hour); err != nil || len(hour) != len("15:04") {
		return day, ""
	}
	return day, hour
}

// shownDay returns a day as it is shown: "05 SEP 2025".
func shownDay(at time.Time) string {
	return at.Format("02 ") + months[at.Month()-1] + at.Format(" 2006")
}

// when returns the line of an event's date and time: "05 SEP 2025 • 19:30".
func (e *event) when() string {
	switch {
	case e.date == "":
		return "—"
	case e.hour == "":
		return e.date
	}
	return e.date + " • " + e.hour
}

// heading returns the page's title, as frontend/src/routes/evento.tsx sets it.
func (e *event) heading() string {
	if e.title == "" {
		return "Evento"
	}
	return firstRunes(e.title, 56) + " · Evento"
}

// summary returns the page's description: the time, and the event's description or the site's name.
func (e *event) summary(siteName string) string {
	about := e.description
	if about == "" {
		about = siteName
	}
	return firstRunes(strings.Join(strings.Fields(e.when()+". "+about), " "), 160)
}

// cost returns the price as visitors read it, or "".
func (e *event) cost() string {
	switch {
	case e.price == nil:
		return ""
	case *e.price == 0:
		return "Gratis"
	}
	whole, cents, _ := strings.Cut(strconv.FormatFloat(*e.price, 'f', 2, 64), ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	return "RD$" + whole + "." + cents
}

// firstRunes returns the first n characters of a text, at most.
func firstRunes(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:n]))
}

// reserved matches the names that Firestore reserves, besides "." and "..".
var reserved = regexp.MustCompile(`^__.*__$`)

// isDocumentID reports whether a document can have this name.
func isDocumentID(id string) bool {
	return id != "" && id != "." && id != ".." && len(id) <= 1500 && utf8.ValidString(id) &&
		!strings.Contains(id, "/") && !reserved.MatchString(id)
}
