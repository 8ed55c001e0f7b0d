package pages

import (
	"errors"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"

	"golang.org/x/text/unicode/norm"
)

// The body of an event's page is what the site's scripts render in the browser, which then hydrate it. The build
// renders its parts (frontend/src/event-template.tsx), this package chooses and fills them.

// length is the assumed duration of an event.
const length = 2 * time.Hour

// longTitle is the number of UTF-16 units, which JavaScript counts, from which a title has a smaller font.
const longTitle = 70

// parts are the forms of the parts of the page, with marks of values: HTML by its name.
type parts map[string]string

// partNames are the parts that a build must have.
var partNames = []string{
	"title", "longTitle", "when", "whenOver", "whenNamed", "whenNamedOver", "actionsComing", "actionsOver", "actionsUndated",
	"picture", "uploadedPicture", "place", "noPlace", "price", "artist", "description",
}

// choice is the build's data from which the drawing of an event is chosen.
type choice struct {
	// Words are the drawings by the words of titles; the first match is used.
	Words []struct {
		Slot    string `json:"slot"`
		Pattern string `json:"pattern"`
	} `json:"words"`
	// Slots are the names of the drawings of events whose titles have none of the words.
	Slots []string `json:"slots"`
}

// check returns an error if the parts of a build are not those that this package fills.
func (s *site) check() error {
	for _, name := range partNames {
		if s.Parts[name] == "" {
			return fmt.Errorf("the part %q is missing", name)
		}
	}
	if len(s.Choice.Slots) == 0 {
		return errors.New("the drawings are missing")
	}
	for _, word := range s.Choice.Words {
		if _, err := regexp.Compile(word.Pattern); err != nil {
			return err
		}
	}
	return nil
}

// drawing returns the name of the drawing of an event without a picture: by the words of its title, otherwise by its
// id. frontend/src/art/event-art.ts makes the same choice.
func (c *choice) drawing(e *event) string {
	title := strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.M, r) {
			return -1
		}
		return r
	}, norm.NFD.String(e.title)))
	for _, word := range c.Words {
		if found, err := regexp.MatchString(word.Pattern, title); err == nil && found {
			return word.Slot
		}
	}
	hash := uint32(2166136261)
	for _, r := range e.id {
		hash = (hash ^ uint32(r)) * 16777619
	}
	hash = (hash ^ hash>>16) * 0x85ebca6b >> 13
	return c.Slots[int(hash)%len(c.Slots)]
}

// isUploaded reports whether the event's picture was uploaded through the back office.
func (e *event) isUploaded() bool { return uploaded.MatchString(e.image) }

// uploaded matches the address of an uploaded picture: its folder, width and height, and the width of its largest file.
var uploaded = regexp.MustCompile(`^(/imagenes/[A-Za-z0-9]+-(\d+)x(\d+)/)(\d+)\.webp$`)

// widths are the widths of the files of an uploaded picture, as in frontend/src/lib/picture.ts.
var widths = []int{480, 960, 1600}

// over reports whether the event has ended.
func (e *event) over(now time.Time) bool { return !e.start.IsZero() && e.start.Add(length).Before(now) }

// body returns the parts of an event's page, by their marks in the frame.
func (s *site) body(e *event, now time.Time) *strings.Replacer {
	values := strings.NewReplacer(e.values()...)
	use := func(name string) string { return values.Replace(s.Parts[name]) }
	title, actions, place := "title", "actionsComing", "place"
	if len(utf16.Encode([]rune(e.title))) > longTitle {
		title = "longTitle"
	}
	when := "when"
	if !e.start.IsZero() && shownDay(e.start) == e.date {
		when = "whenNamed"
	}
	switch {
	case e.start.IsZero():
		actions = "actionsUndated"
	case e.over(now):
		actions, when = "actionsOver", when+"Over"
	}
	if e.place == "" {
		place = "noPlace"
	}
	facts := use(place)
	if e.cost() != "" {
		facts += use("price")
	}
	if e.artist != "" {
		facts += use("artist")
	}
	picture := s.Drawings[s.Choice.drawing(e)]
	switch {
	case e.isUploaded():
		picture = use("uploadedPicture")
	case e.image != "":
		picture = use("picture")
	}
	description := ""
	if e.description != "" {
		description = use("description")
	}
	return strings.NewReplacer(
		"{{title}}", use(title), "{{when}}", use(when), "{{actions}}", use(actions),
		"{{picture}}", picture, "{{facts}}", facts, "{{description}}", description,
	)
}

// values returns the marks of values, each followed by its value as HTML.
func (e *event) values() []string {
	var srcSet []string
	width, height := "", ""
	if match := uploaded.FindStringSubmatch(e.image); match != nil {
		width, height = match[2], match[3]
		largest, _ := strconv.Atoi(match[4])
		for _, w := range widths {
			if w <= largest {
				srcSet = append(srcSet, fmt.Sprintf("%s%d.webp %dw", match[1], w, w))
			}
		}
	}
	pairs := []string{
		"{{title}}", e.title, "{{description}}", e.description, "{{place}}", e.place, "{{artist}}", e.artist,
		"{{image}}", e.image, "{{imageAlt}}", e.alternative(), "{{weekday}}", weekdays[e.start.Weekday()], "{{when}}", e.when(),
		"{{price}}", e.cost(), "{{srcSet}}", strings.Join(srcSet, ", "), "{{width}}", width, "{{height}}", height,
		"{{mapLink}}", "https://www.google.com/maps/search/?api=1&query=" + component(e.place), "{{calendarLink}}", e.calendarLink(),
	}
	for i := 1; i < len(pairs); i += 2 {
		pairs[i] = html.EscapeString(pairs[i])
	}
	return pairs
}

// weekdays are the names of the days of the week, Sunday first.
var weekdays = [...]string{"domingo", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado"}

// alternative returns the picture's alternative text: its own, otherwise the title.
func (e *event) alternative() string {
	if e.alt != "" {
		return e.alt
	}
	return e.title
}

// calendarLink returns the address that adds the event to Google Calendar, as frontend/src/lib/links.ts does.
func (e *event) calendarLink() string {
	const layout = "20060102T150405Z"
	dates := e.start.UTC().Format(layout) + "/" + e.start.Add(length).UTC().Format(layout)
	query := "action=TEMPLATE"
	for _, field := range [][2]string{{"text", e.title}, {"dates", dates}, {"details", e.description}, {"location", e.place}} {
		query += "&" + field[0] + "=" + strings.ReplaceAll(component(field[1]), "%2F", "/")
	}
	return "https://calendar.google.com/calendar/render?" + query
}

// unescaped undoes the escapes of url.QueryEscape that JavaScript's encodeURIComponent does not make.
var unescaped = strings.NewReplacer("+", "%20", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*")

// component encodes a text as JavaScript's encodeURIComponent does.
func component(text string) string { return unescaped.Replace(url.QueryEscape(text)) }

// served returns the event as the site's scripts read it (frontend/src/lib/served-event.ts).
func (e *event) served(now time.Time) object {
	orNull := func(text string) any {
		if text == "" {
			return nil
		}
		return text
	}
	orDash := func(text string) string {
		if text == "" {
			return "—"
		}
		return text
	}
	moment := ""
	if !e.start.IsZero() {
		moment = e.start.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	return object{
		"over": e.over(now),
		"event": object{
			"id": e.id, "title": e.title, "description": e.description, "place": e.place, "artist": e.artist, "price": e.price,
			"image": orNull(e.image), "imageAlt": e.alternative(), "moment": orNull(moment), "date": orDash(e.date), "time": orDash(e.hour),
		},
	}
}
