package config

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// addService reads one --service ID=URL.
func (c *Config) addService(text string) error {
	id, address, ok := strings.Cut(text, "=")
	if !ok || id == "" {
		return errors.New("expected ID=URL, such as backoffice=http://127.0.0.1:8085")
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "" {
		return fmt.Errorf("%q is not an origin such as http://127.0.0.1:8085", address)
	}
	if c.Services[id] != nil {
		return fmt.Errorf("service %s has two addresses", id)
	}
	if c.Services == nil {
		c.Services = make(map[string]*url.URL)
	}
	c.Services[id] = &url.URL{Scheme: u.Scheme, Host: u.Host}
	return nil
}
