/// The protocol that a door speaks.
public enum DoorKind: String, Hashable, Sendable, CaseIterable {
    /// The virtual reader of pcscd (vsmartcard's vpcd).
    case vpcd
    /// QEMU's `ccid-card-passthru`.
    case vscard

    func session() -> any DoorSession {
        switch self {
        case .vpcd: VPCDSession()
        case .vscard: VSCardSession()
        }
    }
}
