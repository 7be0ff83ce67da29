// The report: tables and pictures of the data that stand in the page.
"use strict";
