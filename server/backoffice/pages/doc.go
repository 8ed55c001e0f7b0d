// Package pages serves the pages of the foundation's site about events: /eventos/ID and /sitemap.xml. The page's head
// has the event's title, description, picture, Open Graph properties and structured data, for clients that run no
// scripts (search engines, link previews of messengers). Its body is what the site's scripts would render, so that it
// is visible before they run. Comments and marks in the built page eventos/plantilla-completa.html are their places;
// the parts of the body, and the rest of the page, such as the names of its scripts, come from the build.
//
// /boletin/baja?t=TOKEN is the newsletter's unsubscribe link: a GET shows a form, a POST unsubscribes.
//
// For an event that is unknown or not published the response is the site's own 404.html. If an event cannot be read,
// eventos/plantilla.html is served, and its scripts try again or show the error.
package pages
