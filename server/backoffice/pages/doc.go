// Package pages serves the pages of the foundation's site about events: /eventos/ID and /sitemap.xml. A client that
// runs no scripts (a search engine, a messenger that shows a preview) finds the event's title, description, picture, Open
// Graph properties and structured data in the page's head. The built page eventos/plantilla.html marks by comments where
// they belong, so everything else of it, such as the names of its scripts, is the build's.
//
// /boletin/baja?t=TOKEN is the newsletter's unsubscribe link: a GET shows a form, a POST erases.
//
// An event that is unknown or not published is answered with the site's own 404.html. When an event cannot be read, the
// built page is served as it is, and its scripts show what is wrong.
package pages
