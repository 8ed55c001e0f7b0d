package admin_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore/apiv1/admin/adminpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"clave/server/internal/store/backup/series"
)

// TestSchedules creates, changes and deletes schedules of databases, also after a restart.
func TestSchedules(t *testing.T) {
	const schedules, day = "/v1/projects/p/databases/second/backupSchedules", 24 * time.Hour
	s := open(t, memory(t))
	want := func(when string, want ...series.Daily) {
		t.Helper()
		if got := fmt.Sprint(s.planned); got != fmt.Sprint(want) {
			t.Errorf("%s: the schedules are %s, want %v", when, got, want)
		}
	}
	daily := field(t, s.want(200, "POST "+schedules, `{"retention":"604800s","dailyRecurrence":{}}`, `"retention":"604800s","dailyRecurrence":{}}`), "name")
	s.want(409, "POST "+schedules, `{"retention":"86400s","dailyRecurrence":{}}`, "has a daily backup schedule already")
	weekly := field(t, s.want(200, "POST "+schedules, `{"retention":"8467200s","weeklyRecurrence":{"day":"SUNDAY"}}`, `"weeklyRecurrence":{"day":"SUNDAY"}}`), "name")
	s.want(409, "POST "+schedules, `{"retention":"86400s","weeklyRecurrence":{"day":"MONDAY"}}`, "has a weekly backup schedule already")
	s.want(200, "POST "+strings.Replace(schedules, "second", "(default)", 1), `{"retention":"1.5s","weeklyRecurrence":{"day":"MONDAY"}}`, `"retention":"1s"`)
	all := []series.Daily{{For: 7 * day}, {Weekly: true, Day: time.Sunday, For: 98 * day}, {Weekly: true, Day: time.Monday, For: time.Second}}
	want("after three creations", all...)
	s = s.again()
	want("after a restart", all...)
	if got := s.want(200, "GET "+schedules, "", daily); !strings.Contains(got, weekly) || !strings.Contains(got, "/flags") || strings.Contains(got, "MONDAY") {
		t.Errorf("the schedules of a database are %s", got)
	}
	s.want(200, "GET /v1/"+weekly, "", "SUNDAY")
	s.want(200, "PATCH /v1/"+daily, `{"retention":"172800s"}`, `"retention":"172800s"`)
	s.want(200, "PATCH /v1/"+weekly+"?updateMask=retention", `{"retention":"86400s","weeklyRecurrence":{"day":"SUNDAY"}}`, "SUNDAY")
	want("after two changes", series.Daily{For: 2 * day}, series.Daily{Weekly: true, Day: time.Sunday, For: day}, all[2])
	for what, tt := range map[string]string{
		"PATCH " + daily + `?updateMask=dailyRecurrence {"dailyRecurrence":{}}`:       "400 Only the retention",
		"PATCH " + daily + ` {"retention":"1s","weeklyRecurrence":{"day":"MONDAY"}}`:  "400 Only the retention",
		"PATCH " + weekly + ` {"retention":"1s","dailyRecurrence":{}}`:                "400 Only the retention",
		"PATCH " + weekly + ` {"retention":"1s","weeklyRecurrence":{"day":"FRIDAY"}}`: "400 Only the retention",
		"PATCH " + daily + ` {"retention":"8467201s"}`:                                "400 14 weeks",
		"PATCH " + daily + ` {}`:                                                         "400 is missing",
		"PATCH " + daily[:len(daily)-1] + ` {"retention":"1s"}`:                          "404 NOT_FOUND",
		"PATCH " + strings.Replace(daily, "second", "third", 1) + ` {"retention":"1s"}`:  "404 NOT_FOUND",
		"PATCH projects/p/databases/second/backupSchedules/flags {\"retention\":\"1s\"}": "400 --backup-keep",
		"DELETE projects/p/databases/second/backupSchedules/flags ":                      "400 --backup-keep",
		"DELETE " + daily[:len(daily)-1] + " ":                                           "404 NOT_FOUND",
	} {
		method, rest, _ := strings.Cut(what, " ")
		path, body, _ := strings.Cut(rest, " ")
		code, text, _ := strings.Cut(tt, " ")
		if status, got := s.call("deployer", method+" /v1/"+path, body); fmt.Sprint(status) != code || !strings.Contains(got, text) {
			t.Errorf("%s: %d %s, want %s", what, status, got, tt)
		}
	}
	s.want(200, "DELETE /v1/"+daily, "", "{}")
	s.want(404, "GET /v1/"+daily, "", "NOT_FOUND")
	s.want(404, "DELETE /v1/"+daily, "", "NOT_FOUND")
	s.want(200, createMade, newBody, `"done":true`)
	s.want(200, "POST "+atMade+"/backupSchedules", `{"retention":"3s","dailyRecurrence":{}}`, "3s")
	want("with one of a new database", series.Daily{Weekly: true, Day: time.Sunday, For: day}, all[2], series.Daily{For: 3 * time.Second})
	s.want(200, "DELETE "+atMade, "", `"done":true`)
	want("without the database", series.Daily{Weekly: true, Day: time.Sunday, For: day}, all[2])
	s = s.again()
	want("after another restart", series.Daily{Weekly: true, Day: time.Sunday, For: day}, all[2])
}

// TestSchedulesAreRefused sends schedules that can't be created, and such that a role may not create.
func TestSchedulesAreRefused(t *testing.T) {
	s := open(t, memory(t))
	const schedules = "POST /v1/projects/p/databases/second/backupSchedules"
	for body, text := range map[string]string{
		`{"dailyRecurrence":{}}`:                                                      "retention of the backup schedule is missing",
		`{"retention":"8467201s","dailyRecurrence":{}}`:                               "14 weeks",
		`{"retention":"1e300s","dailyRecurrence":{}}`:                                 "14 weeks",
		`{"retention":"0s","dailyRecurrence":{}}`:                                     "backup_schedule.retention",
		`{"retention":"-5s","dailyRecurrence":{}}`:                                    "backup_schedule.retention",
		`{"retention":"NaNs","dailyRecurrence":{}}`:                                   "backup_schedule.retention",
		`{"retention":"7d","dailyRecurrence":{}}`:                                     "backup_schedule.retention",
		`{"retention":"7s"}`:                                                          "either",
		`{"retention":"7s","dailyRecurrence":{},"weeklyRecurrence":{"day":"MONDAY"}}`: "either",
		`{"retention":"7s","weeklyRecurrence":{}}`:                                    "weekly_recurrence.day",
		`{"retention":"7s","weeklyRecurrence":{"day":"Monday"}}`:                      "weekly_recurrence.day",
		`{"retention":"7s","dailyRecurrence":{},"colour":"red"}`:                      "Unknown name",
		`{"retention":"7s","dailyRecurrence":{"hour":4}}`:                             "Unknown name",
	} {
		s.want(400, schedules, body, text)
	}
	s.want(404, strings.Replace(schedules, "second", "third", 1), `{"retention":"7s","dailyRecurrence":{}}`, "NOT_FOUND")
	for _, role := range []string{"viewer", "index-admin", "rules-admin", "hosting-admin"} {
		if code, got := s.call(role, schedules, `{"retention":"7s","dailyRecurrence":{}}`); code != http.StatusForbidden {
			t.Errorf("with the role %s: %d %s", role, code, got)
		}
	}
	if len(s.planned) > 0 {
		t.Errorf("there are schedules: %v", s.planned)
	}
}

// TestGoClientSchedules creates, changes and deletes a schedule with the Go client.
func TestGoClientSchedules(t *testing.T) {
	s := open(t, memory(t))
	c, _ := s.client()
	ctx := s.as("datastore-owner")
	request := &adminpb.CreateBackupScheduleRequest{Parent: defaultName, BackupSchedule: &adminpb.BackupSchedule{
		Retention: durationpb.New(time.Hour), Recurrence: &adminpb.BackupSchedule_DailyRecurrence{DailyRecurrence: &adminpb.DailyRecurrence{}},
	}}
	created, err := c.CreateBackupSchedule(ctx, request)
	if err != nil || created.GetDailyRecurrence() == nil || created.GetRetention().AsDuration() != time.Hour || created.GetCreateTime().AsTime().IsZero() {
		t.Fatalf("CreateBackupSchedule: %v, %v", created, err)
	}
	if _, err := c.CreateBackupSchedule(ctx, request); status.Code(err) != codes.AlreadyExists {
		t.Errorf("a second daily schedule: %v", err)
	}
	created.Retention = durationpb.New(2 * time.Hour)
	updated, err := c.UpdateBackupSchedule(ctx, &adminpb.UpdateBackupScheduleRequest{BackupSchedule: created, UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"retention"}}})
	if err != nil || updated.GetRetention().AsDuration() != 2*time.Hour || !updated.GetUpdateTime().AsTime().After(updated.GetCreateTime().AsTime()) {
		t.Errorf("UpdateBackupSchedule: %v, %v", updated, err)
	}
	all, err := c.ListBackupSchedules(s.as("viewer"), &adminpb.ListBackupSchedulesRequest{Parent: defaultName})
	if err != nil || len(all.GetBackupSchedules()) != 2 {
		t.Errorf("ListBackupSchedules: %v, %v", all, err)
	}
	if err := c.DeleteBackupSchedule(ctx, &adminpb.DeleteBackupScheduleRequest{Name: created.GetName()}); err != nil {
		t.Error(err)
	}
	if _, err := c.GetBackupSchedule(ctx, &adminpb.GetBackupScheduleRequest{Name: created.GetName()}); status.Code(err) != codes.NotFound {
		t.Errorf("after its deletion the schedule is %v", err)
	}
}
