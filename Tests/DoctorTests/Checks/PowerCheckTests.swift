import Doctor
import Testing

@Suite struct PowerCheckTests {
    private let system: FakeSystem

    init() throws { system = try FakeSystem() }

    private func findings() async -> [Finding] { await PowerCheck(root: system.root).findings() }

    @Test func `a reader that may sleep may sleep`() async throws {
        try system.plug("1-1", power: ["control": "auto", "runtime_status": "suspended"])
        #expect(
            await findings() == [.ok(about: "08e6:3437@1-1 USB SmartCard Reader", "power/control is auto")])
    }

    @Test(arguments: [(0x0783, 0x0003), (0x058F, 0x9520)] as [(UInt16, UInt16)])
    func `a reader that does not wake up is kept awake`(vendor: UInt16, product: UInt16) async throws {
        let model = USBModel(vendor: vendor, product: product, name: "Sleeper", classes: [0x0B])
        try system.plug("1-1", model, power: ["control": "auto"])
        let told = await findings()
        #expect(told.verdicts == [.problem])
        #expect(told.fixes == ["echo on | sudo tee /sys/bus/usb/devices/1-1/power/control"])
        let reports = [CheckReport(name: .power, findings: told)]
        let runner = RecordingRunner()
        let results = await Repairer(files: system.files, runner: runner, isRoot: true).repair(reports)
        #expect(results.map(\.outcome) == [.done])
        #expect(runner.commands.isEmpty)
        #expect(system.text("/sys/bus/usb/devices/1-1/power/control") == "on\n")
        #expect(await findings().verdicts == [.ok])
    }

    @Test func `a reader that the kernel could not wake up is told`() async throws {
        try system.plug("1-1", power: ["control": "auto", "runtime_status": "error"])
        let told = await findings()
        #expect(told.verdicts == [.problem])
        #expect(told.first?.trouble == .reader)
        #expect(told.first?.repair != nil)
    }
}
