// Package pages serves the pages of the foundation's site about events: /eventos/ID and /sitemap.xml. For clients that
// run no scripts (search engines, link previews of messengers), the page's head has the event's title, description,
// picture, Open Graph properties and structured data. Comments in the built page eventos/plantilla.html mark their
// places; the rest of the page, such as the names of its scripts, comes from the build.
//
// /boletin/baja?t=TOKEN is the newsletter's unsubscribe link: a GET shows a form, a POST unsubscribes.
//
// For an event that is unknown or not published the response is the site's own 404.html. If an event cannot be read,
// the built page is served unchanged, and its scripts show the error.
package pages
