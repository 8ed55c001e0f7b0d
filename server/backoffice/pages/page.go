package pages

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/url"
	"strings"
	"time"
)

// The comments of the built page between which the event's head is inserted. The first contains the build's data of the
// site, as JSON. Marks such as {{title}} in the rest of the page are replaced by parts of the body.
const (
	headStart = "<!--evento "
	headEnd   = "<!--/evento-->"
)

// built is the parsed built page of events.
type built struct {
	// before and after are the parts around the head.
	before, after string
	site          site
}

// site is the build's data of the site.
type site struct {
	// URL is the site's public address without a slash at its end.
	URL string `json:"url"`
	// Name is the foundation's name.
	Name string `json:"name"`
	// Parts are the parts of the body.
	Parts parts `json:"parts"`
	// Drawings are the pictures of events without a picture: HTML by the drawing's name.
	Drawings map[string]string `json:"drawings"`
	Choice   choice            `json:"choice"`
}

// parseBuilt parses the built page.
func parseBuilt(page string) (*built, error) {
	before, rest, ok := strings.Cut(page, headStart)
	facts, rest, ok2 := strings.Cut(rest, "-->")
	_, after, ok3 := strings.Cut(rest, headEnd)
	if !ok || !ok2 || !ok3 {
		return nil, errors.New("the page lacks the comments that mark an event's head: build the site again")
	}
	b := &built{before: before, after: after}
	if err := json.Unmarshal([]byte(facts), &b.site); err != nil {
		return nil, fmt.Errorf("the page's comment about the site: %w", err)
	}
	if u, err := url.Parse(b.site.URL); err != nil || u.Host == "" {
		return nil, fmt.Errorf("the page's comment about the site: %q is not an address", b.site.URL)
	}
	if err := b.site.check(); err != nil {
		return nil, fmt.Errorf("the page's comment about the site: %w: build the site again", err)
	}
	return b, nil
}

// view is the data of the templates.
type view struct {
	Title, Description, Address string
	Image                       string
	// OwnImage is set if Image is the event's image, of unknown size. Otherwise it is a drawing.
	OwnImage bool
	ImageAlt string
	SiteName string
	// Data is the event for search engines, Served the event for the site's scripts.
	Data, Served template.JS
}

// head is the part of the head that describes the event.
var head = template.Must(template.New("head").Parse(`<title>{{.Title}}</title>
    <meta name="description" content="{{.Description}}" />
    <meta name="robots" content="index,follow" />
    <link rel="canonical" href="{{.Address}}" />
    <meta property="og:type" content="website" />
    <meta property="og:locale" content="es_DO" />
    <meta property="og:title" content="{{.Title}}" />
    <meta property="og:description" content="{{.Description}}" />
    <meta property="og:url" content="{{.Address}}" />
    <meta property="og:site_name" content="{{.SiteName}}" />
    <meta property="og:image" content="{{.Image}}" />
    {{if not .OwnImage}}<meta property="og:image:width" content="1200" />
    <meta property="og:image:height" content="630" />
    {{end}}<meta property="og:image:alt" content="{{.ImageAlt}}" />
    <meta name="twitter:card" content="summary_large_image" />
    <script type="application/ld+json" id="datos-evento">{{.Data}}</script>
    <script type="application/json" id="evento-servido">{{.Served}}</script>`))

// fill returns the built page with an event, as it is at a time.
func (b *built) fill(e *event, now time.Time) ([]byte, error) {
	address := b.site.URL + "/eventos/" + url.PathEscape(e.id)
	image, own := b.site.URL+"/ilustraciones/og-"+b.site.Choice.drawing(e)+".png", false
	if e.image != "" {
		if base, err := url.Parse(address); err == nil {
			if u, err := base.Parse(e.shared()); err == nil {
				image, own = u.String(), true
			}
		}
	}
	data, err := json.Marshal(b.structured(e, address, image, own))
	if err != nil {
		return nil, err
	}
	served, err := json.Marshal(e.served(now))
	if err != nil {
		return nil, err
	}
	v := view{
		Title: e.heading(), Description: e.summary(b.site.Name), Address: address, Image: image, OwnImage: own, ImageAlt: e.alternative(),
		SiteName: b.site.Name,
		Data:     template.JS(data), // json.Marshal escapes <, > and &
		Served:   template.JS(served),
	}
	var page bytes.Buffer
	page.WriteString(b.before)
	if err := head.Execute(&page, v); err != nil {
		return nil, err
	}
	page.WriteString(b.site.body(e, now).Replace(b.after))
	return page.Bytes(), nil
}

// object is a JSON object.
type object = map[string]any

// structured returns the event in the vocabulary of schema.org, as frontend/src/lib/event-data.ts does.
func (b *built) structured(e *event, address, image string, own bool) object {
	data := object{
		"@context": "https://schema.org", "@type": "Event", "name": e.title, "url": address,
		"eventStatus":         "https://schema.org/EventScheduled",
		"eventAttendanceMode": "https://schema.org/OfflineEventAttendanceMode",
		"organizer":           object{"@type": "NGO", "name": b.site.Name, "url": b.site.URL + "/"},
	}
	if !e.start.IsZero() {
		data["startDate"] = e.start.Format("2006-01-02T15:04:00-07:00")
	}
	if e.description != "" {
		data["description"] = e.description
	}
	if e.place != "" {
		data["location"] = object{"@type": "Place", "name": e.place, "address": e.place}
	}
	if e.artist != "" {
		data["performer"] = object{"@type": "Person", "name": e.artist}
	}
	if e.price != nil {
		data["offers"] = object{"@type": "Offer", "price": *e.price, "priceCurrency": "DOP", "url": address}
	}
	if own {
		data["image"] = image
	}
	return data
}
