package config

import (
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/httpx/loopback"
)

// check returns an error for contradictory settings.
func (c *Config) check() error {
	if err := c.checkPublicURL(); err != nil {
		return err
	}
	if err := c.checkClock(); err != nil {
		return err
	}
	if c.Store != "" && c.Memory {
		return fault.E(fault.InvalidArgument, "--store and --memory exclude each other. With --import and --store, name a folder with --data")
	}
	if err := c.checkCluster(); err != nil {
		return err
	}
	if c.Mode.offline() {
		if err := c.checkPast(); err != nil {
			return err
		}
		if c.Mode.needsProject() && c.Project == "" {
			return fault.E(fault.InvalidArgument, "clave %s: name the project with --project", c.Mode)
		}
		if err := c.checkMigration(); err != nil {
			return err
		}
		return c.checkDeploy()
	}
	if !slices.Contains([]string{"off", "record", "auto", "enforce"}, c.Indexes) {
		return fault.E(fault.InvalidArgument, "--indexes %s: expected off, record, auto or enforce", c.Indexes)
	}
	if err := checkEdition(c.Edition); err != nil {
		return err
	}
	if err := c.checkOnly(); err != nil {
		return err
	}
	if err := c.checkAuth(); err != nil {
		return err
	}
	if err := c.checkMetrics(); err != nil {
		return err
	}
	if err := c.checkTransfer(); err != nil {
		return err
	}
	if c.Mode == ModeExec && len(c.Command) == 0 {
		return fault.E(fault.InvalidArgument, "clave exec: name the command to run: clave exec -- COMMAND…")
	}
	if c.Production() {
		if err := c.checkProduction(); err != nil {
			return err
		}
		if err := c.checkHistory(); err != nil {
			return err
		}
		if err := c.checkBackups(); err != nil {
			return err
		}
		if err := c.checkConsole(); err != nil {
			return err
		}
		return c.checkAdminAPI()
	}
	return nil
}

// checkProduction returns an error for settings that are unsafe on a public network.
func (c *Config) checkProduction() error {
	switch {
	case c.Project == "":
		return fault.E(fault.InvalidArgument, "clave serve: name the project with --project")
	case strings.HasPrefix(c.Project, "demo-"):
		return fault.E(fault.InvalidArgument, "clave serve: project %q is a demo project; name a real one with --project", c.Project)
	case (c.TLSCert == "") != (c.TLSKey == ""):
		return fault.E(fault.InvalidArgument, "clave serve: --tls-cert and --tls-key go together")
	case c.TLSCert != "" && len(c.ACMEDomains) > 0:
		return fault.E(fault.InvalidArgument, "clave serve: certificates come from --tls-cert or by --acme-domain, not both")
	case len(c.ACMEDomains) > 0 && c.Memory:
		return fault.E(fault.InvalidArgument, "clave serve: --acme-domain needs a data folder for the certificates, because authorities limit how many they issue. Omit --memory")
	case len(c.ACMEDomains) == 0 && (c.ACMEEmail != "" || c.ACMEDirectory != ""):
		return fault.E(fault.InvalidArgument, "clave serve: --acme-email and --acme-directory need --acme-domain")
	case c.HTTPPort != 0 && c.TLSCert == "" && len(c.ACMEDomains) == 0:
		return fault.E(fault.InvalidArgument, "clave serve: --http-port redirects to https, which needs --tls-cert or --acme-domain")
	case c.TLSCert == "" && len(c.ACMEDomains) == 0 && !c.TrustProxy && !loopback.Is(c.HostFor("")):
		return fault.E(fault.InvalidArgument, "clave serve: --host %s without TLS sends passwords and tokens in the clear. Give --tls-cert and --tls-key or --acme-domain, "+
			"or --trust-proxy where a reverse proxy that ends TLS is the only client", c.Host)
	case c.PublicURL == "":
		// The alternative is the Host header, which any client can choose.
		return fault.E(fault.InvalidArgument, "clave serve: give the origin that clients use with --public-url, such as https://data.example.org; links in e-mails begin with it")
	}
	return nil
}

// checkRulesFiles returns an error if a database of a production server has no rules file.
func (c *Config) checkRulesFiles() error {
	if c.Production() && (len(c.Databases) == 0 || slices.ContainsFunc(c.Databases, func(d Database) bool { return d.RulesFile == "" })) {
		return fault.E(fault.InvalidArgument, "clave serve: firebase.json must name firestore.rules for every database; without rules the server does not start")
	}
	return nil
}

// checkCluster returns an error if --cluster-listen is not an address or is given without --store.
func (c *Config) checkCluster() error {
	if c.ClusterListen == "" {
		return nil
	}
	if c.Store == "" {
		return fault.E(fault.InvalidArgument, "--cluster-listen needs --store: only nodes on PostgreSQL connect to each other")
	}
	_, port, err := net.SplitHostPort(c.ClusterListen)
	if n, numeric := strconv.Atoi(port); err != nil || numeric != nil || n < 0 || n > 65535 {
		return fault.E(fault.InvalidArgument, "--cluster-listen %s: expected a host and a port, such as 10.0.0.5:7400", c.ClusterListen)
	}
	return nil
}

// checkConsole returns an error for an address of the console that is invalid or would send data unencrypted, and for
// prices that nothing shows.
func (c *Config) checkConsole() error {
	if c.Production() && c.UsagePrices != "" && (c.Console == "" || c.Metrics == "") {
		return fault.E(fault.InvalidArgument, "--usage-prices is for the console, which counts with --metrics: give --console and --metrics too")
	}
	if c.Console == "" {
		return nil
	}
	host, port, err := net.SplitHostPort(c.Console)
	if n, numeric := strconv.Atoi(port); err != nil || host == "" || numeric != nil || n < 0 || n > 65535 {
		return fault.E(fault.InvalidArgument, "--console %s: expected a host and a port, such as 127.0.0.1:4000", c.Console)
	}
	if !loopback.Is(host) && c.TLSCert == "" && len(c.ACMEDomains) == 0 && !c.ConsolePlain {
		return fault.E(fault.InvalidArgument, "--console %s without TLS sends all data in the clear. Let it listen on 127.0.0.1 and reach it through ssh -L 4000:127.0.0.1:4000, "+
			"or give --tls-cert and --tls-key or --acme-domain; --console-plain is for a port that only this machine reaches", c.Console)
	}
	return nil
}

// checkAdminAPI returns an error for an address of the administration APIs that is invalid, public, or would send
// tokens unencrypted.
func (c *Config) checkAdminAPI() error {
	if c.AdminAPI == "" && c.AdminExports != "" {
		return fault.E(fault.InvalidArgument, "--admin-exports needs --admin-api, whose exports it is for")
	}
	if c.AdminAPI == "" {
		return nil
	}
	place, bucket := c.ExportPlace()
	if err := place.Check("admin-exports"); err != nil {
		return err
	}
	if bucket && c.Memory {
		return fault.E(fault.InvalidArgument, "--admin-exports %s and --memory exclude each other: the files of an export are in the data folder for a while", c.AdminExports)
	}
	if bucket && place.overlaps(&c.Backups.BackupPlace) {
		return fault.E(fault.InvalidArgument, "--admin-exports %s and --backup-to %s: one is in the other. Give each a prefix of its own", c.AdminExports, c.Backups.At)
	}
	host, port, err := net.SplitHostPort(c.AdminAPI)
	n, numeric := strconv.Atoi(port)
	switch {
	case err != nil || host == "" || numeric != nil || n < 0 || n > 65535:
		return fault.E(fault.InvalidArgument, "--admin-api %s: expected a host and a port, such as 127.0.0.1:4001", c.AdminAPI)
	case n != 0 && (n == c.Ports.Hosting || n == c.HTTPPort):
		return fault.E(fault.InvalidArgument, "--admin-api %s: this is the public port. Give the administration APIs a separate one", c.AdminAPI)
	case !loopback.Is(host) && c.TLSCert == "" && len(c.ACMEDomains) == 0:
		return fault.E(fault.InvalidArgument, "--admin-api %s without TLS sends tokens in the clear. Let it listen on 127.0.0.1 and reach it through ssh -L 4001:127.0.0.1:4001, or give --tls-cert and --tls-key or --acme-domain", c.AdminAPI)
	}
	return nil
}

// checkPublicURL checks that the public URL, if there is one, is an origin, and removes a slash at its end.
func (c *Config) checkPublicURL() error {
	if c.PublicURL == "" {
		return nil
	}
	u, err := url.Parse(c.PublicURL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "" {
		return fault.E(fault.InvalidArgument, "--public-url %s: expected an origin, such as https://data.example.org", c.PublicURL)
	}
	c.PublicURL = u.Scheme + "://" + u.Host
	return nil
}
