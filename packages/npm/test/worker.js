import { parentPort, workerData } from "node:worker_threads";

import { scoreFiles } from "../src/node.js";

if (parentPort) parentPort.postMessage((await scoreFiles(...workerData)).pooled.vmaf.mean);
