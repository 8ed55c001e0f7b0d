package wire

import (
	"clave/server/internal/base/clock"
	"clave/server/internal/model/target"
	pb "clave/server/internal/model/wire/firestorepb"
)

// formatEvent returns the message for an event, without the document of a change.
func formatEvent(e *target.Event) *pb.ListenResponse {
	switch e.Kind {
	case target.Changed:
		change := &pb.DocumentChange{}
		if e.Leaves {
			change.RemovedTargetIds = []int32{e.Target}
		} else {
			change.TargetIds = []int32{e.Target}
		}
		return &pb.ListenResponse{ResponseType: &pb.ListenResponse_DocumentChange{DocumentChange: change}}
	case target.Deleted:
		return &pb.ListenResponse{ResponseType: &pb.ListenResponse_DocumentDelete{DocumentDelete: &pb.DocumentDelete{
			Document: e.Name.String(), ReadTime: FormatVersion(e.ReadTime), RemovedTargetIds: []int32{e.Target},
		}}}
	case target.Left:
		return &pb.ListenResponse{ResponseType: &pb.ListenResponse_DocumentRemove{DocumentRemove: &pb.DocumentRemove{
			Document: e.Name.String(), ReadTime: FormatVersion(e.ReadTime), RemovedTargetIds: []int32{e.Target},
		}}}
	case target.Counted:
		return &pb.ListenResponse{ResponseType: &pb.ListenResponse_Filter{Filter: formatExistence(e.Target, e.Filter)}}
	default:
		return &pb.ListenResponse{ResponseType: &pb.ListenResponse_TargetChange{TargetChange: formatTargetChange(e)}}
	}
}

// targetChanges maps kinds of events to types of target changes. Snapshot is NO_CHANGE without a target.
var targetChanges = map[target.Kind]pb.TargetChange_TargetChangeType{
	target.Added:    pb.TargetChange_ADD,
	target.Removed:  pb.TargetChange_REMOVE,
	target.Current:  pb.TargetChange_CURRENT,
	target.Reset:    pb.TargetChange_RESET,
	target.Snapshot: pb.TargetChange_NO_CHANGE,
}

// formatTargetChange returns the target change for an event.
func formatTargetChange(e *target.Event) *pb.TargetChange {
	change := &pb.TargetChange{TargetChangeType: targetChanges[e.Kind], ResumeToken: e.Token}
	if e.Kind != target.Snapshot {
		change.TargetIds = []int32{e.Target}
	}
	if e.ReadTime != clock.Version(0) {
		change.ReadTime = FormatVersion(e.ReadTime)
	}
	if e.Cause != nil {
		change.Cause = StatusProto(e.Cause)
	}
	return change
}

// formatExistence returns the message for an existence filter.
func formatExistence(target int32, f *target.Filter) *pb.ExistenceFilter {
	out := &pb.ExistenceFilter{TargetId: target, Count: int32(f.Count)}
	if f.Names != nil {
		out.UnchangedNames = &pb.BloomFilter{
			Bits:      &pb.BitSequence{Bitmap: f.Names.Bits, Padding: int32(f.Names.Padding)},
			HashCount: int32(f.Names.Hashes),
		}
	}
	return out
}
