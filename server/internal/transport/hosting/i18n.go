package hosting

import (
	"cmp"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Names of the cookies with which a page selects its language and country.
const (
	languageCookie = "firebase-language-override"
	countryCookie  = "firebase-country-override"
)

// maxLanguages is the greatest number of a client's languages that are looked up.
const maxLanguages = 10

// localized returns the folders of a site's i18n root in which a client's files are looked up, in Firebase Hosting's
// order: language and country, country, language.
func localized(root string, r *http.Request) []string {
	var folders []string
	add := func(name string) {
		if !strings.ContainsAny(name, `/\`) {
			folders = append(folders, path.Join(root, name))
		}
	}
	spoken := languages(r)
	if country := cmp.Or(cookie(r, countryCookie), r.Header.Get("X-Country-Code")); country != "" {
		for _, language := range spoken {
			add(language + "_" + country)
		}
		add("ALL_" + country)
	}
	for _, language := range spoken {
		add(language + "_ALL")
		add(language)
	}
	return folders
}

// languages returns a client's languages, without their regions, the preferred one first.
func languages(r *http.Request) []string {
	if list := cookie(r, languageCookie); list != "" {
		all := strings.Split(list, ",")
		return all[:min(len(all), maxLanguages)]
	}
	type weighted struct {
		language string
		weight   float64
	}
	var all []weighted
	for item := range strings.SplitSeq(r.Header.Get("Accept-Language"), ",") {
		tag, parameters, _ := strings.Cut(item, ";")
		language, _, _ := strings.Cut(strings.TrimSpace(tag), "-")
		weight := 1.0
		if q, ok := strings.CutPrefix(strings.TrimSpace(parameters), "q="); ok {
			weight, _ = strconv.ParseFloat(q, 64) // an invalid weight is 0
		}
		if language != "" && language != "*" && weight > 0 && len(all) < 100 {
			all = append(all, weighted{language, weight})
		}
	}
	slices.SortStableFunc(all, func(a, b weighted) int { return cmp.Compare(b.weight, a.weight) })
	var names []string
	for _, w := range all {
		if !slices.Contains(names, w.language) && len(names) < maxLanguages {
			names = append(names, w.language)
		}
	}
	return names
}

// cookie returns the value of a cookie, or empty.
func cookie(r *http.Request, name string) string {
	c, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	return c.Value
}
