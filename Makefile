# Two commands on a fresh machine with Go, Node and npm: `make start` and `make test`.

SHELL := /bin/bash
.DEFAULT_GOAL := help

# The demo code opens the admin sign-up of the demo site. Production refuses it.
ADMIN_SIGNUP_CODE ?= demo-codigo-fundacion

# The sizes of make bench-console.
DOCUMENTS ?= 1000000
USERS ?= 100000

# The duration of make soak, and of the soak of make torture.
SOAK ?= 10m

# The rounds of make torture, its kills of a leader, and the time of each target of make fuzz.
ROUNDS ?= 20
KILLS ?= 5
T ?= 30s

# The output of clave version.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
COMMIT ?= $(shell git rev-parse HEAD 2>/dev/null)
DATE ?= $(shell git log -1 --format=%cI 2>/dev/null)
LDFLAGS = -s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT) -X main.date=$(DATE)

# The console's pages, which are part of the program if npm can build them.
CONSOLE_SOURCES := $(shell find server/internal/console/web -name node_modules -prune -o -type f -print 2>/dev/null)
CONSOLE := $(if $(and $(shell command -v npm),$(wildcard server/internal/console/web/package.json)),server/internal/console/dist/app/index.html)

GO_SOURCES := $(shell find server -name '*.go' -o -name '*.html' -o -name '*.txt' | grep -v _test.go) go.mod go.sum
# The installed packages of a Node project: for make start, those that a build needs are enough; otherwise, all of them.
installed = $(1)/node_modules/$(if $(filter start,$(MAKECMDGOALS)),$(if $(wildcard $(1)/node_modules/.installed),.installed,.build),.installed)
SITE_PACKAGES := $(call installed,frontend)
CONSOLE_PACKAGES := $(call installed,server/internal/console/web)
# The modules of tests whose programs run in Node.
TEST_MODULES := $(addsuffix /node_modules/.installed,server/test/e2e/functions server/test/e2e/sdks server/test/e2e/idps server/dist/npm/runners)
SITE_SOURCES := $(shell find frontend -path frontend/node_modules -prune -o -path frontend/dist -prune -o -path frontend/dist-ssr -prune -o -path frontend/test-results -prune -o -path frontend/capturas -prune -o -type f -print)

.PHONY: help start test requirements packages lint test-go test-race test-programs test-nodes test-site test-console test-official bench bench-console release soak attack torture fuzz clean

help: ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

start: bin/clave bin/backoffice frontend/dist/index.html ## install, build and run everything with demo data
	@echo "Código de demostración para «Crear cuenta» en /LogIn: $(ADMIN_SIGNUP_CODE)"
	@ADMIN_SIGNUP_CODE='$(ADMIN_SIGNUP_CODE)' exec .ci/start

test: ## install the tests' requirements and run all tests; failures are printed last
	@MAKE='$(MAKE)' .ci/test requirements / lint test-race test-console check-site + test-programs drive-site

# What several parts of the tests need. Downloads wait while programs are built.
requirements:
	@$(MAKE) --no-print-directory --keep-going -j3 packages bin/clave bin/backoffice bin/gotestsum frontend/dist/index.html $(TEST_MODULES)

# The package manager has a lock, so one target installs one after the other.
packages:
	.ci/postgres
	.ci/haproxy
	.ci/chromium
	.ci/engines

lint: bin/golangci-lint ## check the format of the Go code and run its linters
	@test -z "$$(gofmt -l server)" || { gofmt -l server; echo "gofmt: format the files above"; exit 1; }
	bin/golangci-lint run ./server/...

# Flags and variables of the Go tests. make lint vets the code. Without the machine's paths the compiler's cache is of
# use in another folder, too. Without tables for debuggers, linking a test takes half the time.
GO_TEST := -count=1 -trimpath -vet=off -ldflags=-w -tags nodynamic -timeout 40m
PROGRAMS = CLAVE_BIN='$(CURDIR)/bin/clave' BACKOFFICE_BIN='$(CURDIR)/bin/backoffice'

test-go: test-race test-programs ## test the Go code

# The packages of the programs, and tests that run these packages themselves, with the race detector. They begin with
# the longest one. Many tests wait, for example for leases and processes, so one package more than processors runs at a
# time.
test-race: requirements
	$(PROGRAMS) bin/gotestsum --format pkgname-and-test-fails -- -race -p 3 $(GO_TEST) ./server/test/e2e/sdk ./server/internal/... ./server/backoffice/... ./server/clavetest/... ./server/cmd/... ./server/test/conformance

# Tests that drive the built programs from another process, which the race detector would not see, and those of the
# sources and packages. They begin with the longest ones, and share compiled packages with the programs.
test-programs: requirements
	$(PROGRAMS) CGO_ENABLED=0 bin/gotestsum --format pkgname-and-test-fails -- $(GO_TEST) ./server/test/torture ./server/test/e2e/nodes ./server/test/e2e/attack ./server/test/e2e/production ./server/test/e2e/emulator ./server/dist/... ./server/test/bench/... ./server/test/kit/... ./server/lint

# Tests that start a server run it as three nodes if CLAVE_NODES is set. These tests support it.
ON_NODES := TestSuitesOfSDKs|TestGoClient|TestGoAdminSDK|TestGoListenerResumes|TestNodePrograms|TestServe|TestAttacks$$|TestUnfinished|TestSlowReaders|TestStreams|TestGroupsAndIndexesOnStreams|TestListenersAreReauthorized|TestPopup|TestSignInPages|TestAccountEventsAsRecorded|TestRulesCasesOverREST|TestRequestMonitor|TestTheSitesFolder|TestWebSDK|TestFreshClientsDuringChanges|TestSite$$

test-nodes: bin/clave bin/backoffice frontend/dist/index.html server/test/e2e/sdks/node_modules/.installed ## run the SDKs' suites, the recorded cases and the site's browser tests against three nodes behind a balancer
	.ci/postgres
	.ci/haproxy
	.ci/patroni
	.ci/chromium
	.ci/engines
	CLAVE_NODES=1 CLAVE_BIN='$(CURDIR)/bin/clave' BACKOFFICE_BIN='$(CURDIR)/bin/backoffice' go test -count=1 -timeout 60m ./server/test/conformance
	CLAVE_NODES=1 CLAVE_BIN='$(CURDIR)/bin/clave' BACKOFFICE_BIN='$(CURDIR)/bin/backoffice' go test -count=1 -p 1 -timeout 90m -run '^($(ON_NODES))' ./server/test/e2e/...
	CLAVE_NODES=1 CLAVE_BIN='$(CURDIR)/bin/clave' go test -count=1 -timeout 20m -run '^TestPatroni$$' -v ./server/test/torture
	.ci/on-postgres-18 go test -count=1 -timeout 20m ./server/internal/store/postgres/...
	.ci/on-postgres-18 env CLAVE_BIN='$(CURDIR)/bin/clave' go test -count=1 -timeout 20m -run '^TestNodes$$' ./server/test/e2e/nodes

test-site: check-site drive-site ## check, build and drive the site in Chromium, and its main flows in Firefox and WebKit

# Runs scripts of npm one after the other, each one also after a failure of another.
each = sh -c 'failed=; for one in $(1); do npm run --silent $$one || failed="$$failed $$one"; done; test -z "$$failed" || { echo "failed:$$failed"; exit 1; }'

.PHONY: check-site drive-site check-console drive-console
check-site: frontend/node_modules/.installed
	cd frontend && $(call each,typecheck lint knip test)

drive-site: bin/clave bin/backoffice frontend/dist/index.html
	.ci/chromium
	.ci/engines
	cd frontend && CLAVE_BIN='$(CURDIR)/bin/clave' BACKOFFICE_BIN='$(CURDIR)/bin/backoffice' $(call each,size e2e)

test-console: check-console drive-console ## check the console's pages, build them and drive them in Chromium

check-console: server/internal/console/web/node_modules/.installed
	cd server/internal/console/web && $(call each,test size)

drive-console: bin/clave server/internal/console/web/node_modules/.installed
	.ci/chromium
	cd server/internal/console/web && CLAVE_BIN='$(CURDIR)/bin/clave' npm run --silent e2e

test-official: bin/backoffice frontend/dist/index.html ## drive the site against Firebase's own emulators, if they are installed
	.ci/chromium
	.ci/official
	go test -count=1 -timeout 40m -run 'Emulator' ./server/test/e2e/sdk -compat.seeds 9

bench: ## run the workloads of server/test/bench
	go test -run '^$$' -bench . -benchmem ./server/test/bench/...

bench-console: bin/clave server/internal/console/web/node_modules/.installed ## measure the console with 1 M documents and 100 k users in Chromium (DOCUMENTS=1000000 USERS=100000)
	.ci/chromium
	cd server/internal/console/web && CLAVE_BIN='$(CURDIR)/bin/clave' DOCUMENTS='$(DOCUMENTS)' USERS='$(USERS)' node scripts/bench.mjs

release: ## build programs for six platforms, npm packages, an image, checksums and the list of modules (VERSION=1.2.3)
	.ci/release '$(VERSION)'

soak: ## run 2,000 listeners on a server under constant commits (SOAK=10m)
	CLAVE_SOAK='$(SOAK)' go test -count=1 -timeout 0 -run '^TestSoak$$' -v ./server/test/e2e/sdk

attack: bin/clave ## carry out the attacks of server/test/e2e/attack on the program, and flood it with unfinished requests and slow readers
	CLAVE_BIN='$(CURDIR)/bin/clave' go test -count=1 -timeout 20m -run '^(TestAttacks|TestUnfinishedRequests|TestSlowReaders)' -v ./server/test/e2e/attack

torture: bin/clave bin/versitygw ## test the server under load with kills, full disks, network faults and damaged files (ROUNDS=20 KILLS=5 SOAK=10m)
	.ci/postgres
	.ci/patroni
	CLAVE_BIN='$(CURDIR)/bin/clave' CLAVE_TORTURE_ROUNDS='$(ROUNDS)' CLAVE_TORTURE_KILLS='$(KILLS)' CLAVE_TORTURE_SOAK='$(SOAK)' go test -count=1 -timeout 0 -v ./server/test/torture
	CLAVE_TORTURE_ROUNDS='$(ROUNDS)' go test -count=1 -timeout 0 -v ./server/internal/store/backup/series
	CLAVE_TORTURE_ROUNDS='$(ROUNDS)' go test -count=1 -timeout 0 -run '^TestRandomSeconds' -v ./server/internal/app/backups
	CLAVE_BIN='$(CURDIR)/bin/clave' CLAVE_TORTURE_ROUNDS='$(or $(ROUNDS),20)' go test -count=1 -timeout 0 -run '^TestKilledExportsToABucket$$' -v ./server/test/e2e/production

bin/versitygw: ## build the server of S3 on which backups are tested too, if it is there
	GOBIN='$(CURDIR)/bin' go install github.com/versity/versitygw/cmd/versitygw@v1.8.0

fuzz: ## run each fuzz target for a while (T=30s)
	.ci/fuzz '$(T)'

clean: ## remove built files
	rm -rf bin frontend/dist frontend/dist-ssr server/internal/console/dist/app

bin/clave: $(GO_SOURCES) $(CONSOLE)
	CGO_ENABLED=0 go build -trimpath -ldflags='$(LDFLAGS)' -o $@ ./server/cmd/clave

# Without the tag nodynamic the encoder of pictures looks for a libwebp on the machine, and the program is not static.
bin/backoffice: $(GO_SOURCES)
	CGO_ENABLED=0 go build -trimpath -tags nodynamic -ldflags='-s -w' -o $@ ./server/cmd/backoffice

# The tools have their own module, so that go.mod lists the program's dependencies only.
bin/golangci-lint: server/tools/go.mod server/tools/go.sum
	cd server/tools && go build -trimpath -o ../../$@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint

bin/gotestsum: server/tools/go.mod server/tools/go.sum
	cd server/tools && go build -trimpath -o ../../$@ gotest.tools/gotestsum

# All packages of a Node project.
frontend/node_modules/.installed server/internal/console/web/node_modules/.installed: %/node_modules/.installed: %/package-lock.json
	cd $* && npm ci --ignore-scripts --no-audit --no-fund
	@touch $@

# The packages that a build needs, without those of tests and checks: half as many bytes.
frontend/node_modules/.build server/internal/console/web/node_modules/.build: %/node_modules/.build: %/package-lock.json
	cd $* && npm ci --omit=dev --ignore-scripts --no-audit --no-fund
	@touch $@

server/internal/console/dist/app/index.html: $(CONSOLE_PACKAGES) $(CONSOLE_SOURCES)
	cd server/internal/console/web && npm run --silent build
	@touch $@

server/dist/npm/runners/node_modules/.installed: server/dist/npm/runners/package.json
	cd server/dist/npm/runners && npm install --ignore-scripts --no-audit --no-fund --silent
	@touch $@

server/test/e2e/functions/node_modules/.installed: server/test/e2e/functions/package.json
	cd server/test/e2e/functions && npm install --ignore-scripts --no-audit --no-fund --silent
	@touch $@

server/test/e2e/sdks/node_modules/.installed: server/test/e2e/sdks/package.json
	cd server/test/e2e/sdks && npm install --ignore-scripts --no-audit --no-fund --silent
	@touch $@

server/test/e2e/idps/node_modules/.installed: server/test/e2e/idps/package.json
	cd server/test/e2e/idps && npm install --ignore-scripts --no-audit --no-fund --silent
	@touch $@

frontend/dist/index.html: $(SITE_PACKAGES) $(SITE_SOURCES)
	cd frontend && npm run --silent build
	@touch $@
