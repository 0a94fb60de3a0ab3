// A boardgame.io server with E-Card: node server.js PORT [FOLDER]. With a folder, matches are kept in its FlatFile store.

const { Server, FlatFile } = require("boardgame.io/server");
const { ECard } = require("./ecard.js");

const [port, folder] = process.argv.slice(2);
const server = Server({
  games: [ECard],
  origins: [/.*/],
  ...(folder ? { db: new FlatFile({ dir: folder, logging: false }) } : {}),
});
server.run({ port: Number(port) }, () => console.log("ready"));
