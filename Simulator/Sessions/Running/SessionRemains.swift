internal import Simulator

/// What a simulated session has left behind when it was over and everything that it had begun had time to end.
public struct SessionRemains: Hashable, Sendable {
    /// Handles of USB devices that are still open.
    public var openHandles: Int
    /// Readers of which somebody still has an interface.
    public var claimedReaders: Int
    /// Tasks that wait for something on the session's clock.
    public var waitingTasks: Int
    /// Processes of the till that are still in memory: somebody holds what belongs to them, such as a task that never
    /// ends.
    public var processes: Int

    /// Nothing.
    public static let none = SessionRemains(openHandles: 0, claimedReaders: 0, waitingTasks: 0, processes: 0)

    public init(openHandles: Int, claimedReaders: Int, waitingTasks: Int, processes: Int) {
        (self.openHandles, self.claimedReaders) = (openHandles, claimedReaders)
        (self.waitingTasks, self.processes) = (waitingTasks, processes)
    }

    init(of world: SessionWorld) {
        self.init(
            openHandles: world.bus.openHandles, claimedReaders: world.bus.claimedDevices,
            waitingTasks: world.clock.waitingTasks, processes: world.livingProcesses)
    }
}
