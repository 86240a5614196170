import Testing
import Text

@Suite struct HTMLTextTests {
    @Test(arguments: [
        ("Caf&eacute; &quot;Zw&ouml;lf&quot;", "Café \"Zwölf\""), ("Beans &amp; Leaves", "Beans & Leaves"),
        ("&#8220;It&#8217;s&#8221; &#x2014; &#X2014;", "“It’s” — —"), ("10&nbsp;&euro; &#160;&hellip;", "10 €  …"),
        ("&#128;&#146;", "€’"), ("&Alpha;&omega;&sigmaf;&trade;&rarr;&diams;", "Αως™→♦"), ("&#0039;&#39;&apos;", "'''"),
    ])
    func `character references become characters`(html: String, text: String) {
        #expect(HTMLText.plain(html) == text)
    }

    @Test(arguments: [
        "R&D", "a & b; c", "&unknown;", "&;", "&#;", "&#x;", "&#-5;", "&#+5;", "&#99999999999;", "&Eacute",
        "50 % & more",
        "&verylongnamethatisnoreferenceatallinanybook;",
    ])
    func `what is no reference stays as it is`(text: String) {
        #expect(HTMLText.plain(text) == text)
    }

    @Test(arguments: [
        ("&#0;", "\u{FFFD}"), ("&#27;[2J", "\u{FFFD}[2J"), ("&#xD800;", "\u{FFFD}"), ("&#1114112;", "\u{FFFD}"),
    ])
    func `a number that is no printable character is replaced`(html: String, text: String) {
        #expect(HTMLText.plain(html) == text)
    }

    @Test func `references are replaced once`() {
        #expect(HTMLText.plain("&amp;lt;b&amp;gt; &amp;amp;") == "&lt;b&gt; &amp;")
    }

    @Test(arguments: [
        ("<strong>Logo</strong> T-Shirt", "Logo T-Shirt"), ("<p>Red</p>\n", "Red"),
        ("Size: L<br>Color: red", "Size: L\nColor: red"),
        ("<ul><li>a</li><li>b</li></ul>", "a\nb"), ("a<!-- <b> -->b", "ab"),
        ("<a href='x?a>b' title=\"1 > 0\">more</a>", "more"),
        ("<script>alert(1 < 2)</script>Tea<style>p { }</style>", "Tea"), ("<!DOCTYPE html>Tea", "Tea"),
        ("Tea<?php echo 1 ?>", "Tea"),
        ("<img src=x>", ""),
    ])
    func `tags are removed`(html: String, text: String) {
        #expect(HTMLText.plain(html) == text)
    }

    // As wp_pre_kses_less_than of WordPress does.
    @Test(arguments: [
        ("a < b", "a < b"), ("3 < 5 <fine>ground</fine>", "3 < 5 ground"), ("x <y", "x <y"), ("<3", "<3"),
        ("1 <2> 3", "1 <2> 3"),
        ("a <b and <em>c</em>", "a <b and c"), ("</ >", "</ >"), ("< fine >", "< fine >"), ("<!-- open", "<!-- open"),
        ("<it's 5 > 3", " 3"), ("5 &lt; 6 &amp; <i>7</i>", "5 < 6 & 7"),
    ])
    func `a less-than sign that begins no tag stays, and nothing after it is lost`(html: String, text: String) {
        #expect(HTMLText.plain(html).trimmingBlanks == text.trimmingBlanks)
    }

    @Test func `many open comments and scripts take no longer than as many letters`() {
        let clock = ContinuousClock()
        let html = String(repeating: "<!--<script>", count: 20_000)
        #expect(clock.measure { _ = HTMLText.plain(html) } < .seconds(20))
    }

    @Test func `every text without markup is unchanged`() {
        for text in ["", "plain", " blanks ", "Zoë\u{301}", "日本", "a > b", "quote \" it's"] {
            #expect(HTMLText.plain(text) == text)
        }
    }
}

extension String {
    fileprivate var trimmingBlanks: String { split(separator: " ").joined(separator: " ") }
}
