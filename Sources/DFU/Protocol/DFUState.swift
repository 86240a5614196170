/// What a device is doing (DFU 1.1 §6.1.2, bState).
public enum DFUState: UInt8, Hashable, Sendable, CaseIterable {
    case appIdle
    case appDetach
    case idle
    case downloadSync
    case downloadBusy
    case downloadIdle
    case manifestSync
    case manifest
    case manifestWaitReset
    case uploadIdle
    case error
}
