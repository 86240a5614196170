internal import Determinism

/// How a simulated device takes firmware (DFU 1.1).
public struct SimulatedFirmwareHabits: Hashable, Sendable {
    /// idProduct in update mode.
    public var updateProductID: UInt16
    /// The firmware that it comes with.
    public var release: UInt16 = 0x0100
    /// wTransferSize
    public var transferSize = 1024
    /// wDetachTimeOut
    public var detachTimeout = Duration.milliseconds(1000)
    /// bitWillDetach: it leaves the bus by itself when it is asked into update mode; else it waits for a reset.
    public var detachesItself = true
    /// bitManifestationTolerant: it still answers when it has taken the firmware in.
    public var survivesManifestation = false
    /// It has room for two: the old firmware runs until the new one is complete and found good.
    public var keepsOldFirmware = false
    /// Before the first block is written.
    public var eraseTime = Duration.milliseconds(400)
    /// For each block.
    public var blockTime = Duration.milliseconds(20)
    /// Between the last block and the end.
    public var manifestationTime = Duration.milliseconds(500)
    /// How long it is away when it changes its mode.
    public var restartTime = Duration.milliseconds(700)

    public init(updateProductID: UInt16) { self.updateProductID = updateProductID }
}
